// Products whose epilogue makes one column of D of two: with stages before and behind the gate, of batches,
// of shared k, of groups; and what they refuse.
#include "common/gated_trial.hpp"
#include "common/property.hpp"

namespace fade::test {

namespace {

/// Aligned operands of one reading, so that few kernels are compiled.
gated_case random_gated_case() {
    gated_case c{};
    auto& p = c.problem;
    p.layout = gemm_layout::nt, p.m = *rc::gen::inRange<index>(1, 150),
    p.n = 2 * *rc::gen::inRange<index>(1, 140);
    p.k = 16 * *rc::gen::inRange<index>(1, 9);
    if (*rc::gen::element(false, false, true))  // few rows, whose waves share k
        p.m = *rc::gen::inRange<index>(1, 33), p.k += 1024;
    p.batch = *rc::gen::element<index>(1, 1, 2);
    p.alpha = *rc::gen::element(1.0, -0.5);
    c.packed = *rc::gen::arbitrary<bool>();
    p.ldd = p.n / 2 + (c.packed ? 0 : *rc::gen::inRange<index>(0, 9));
    p.stride_d = p.m * p.ldd + (c.packed ? 0 : *rc::gen::inRange<index>(0, 9));
    c.kind = *rc::gen::inRange(0, 3), c.split_k = *rc::gen::element(1, 1, 2, 3);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// Random products through gates between other stages.
template <class Arch, class In, class Out = In>
void check(const char* what, int times) {
    holds(what, times, [] {
        const gated_case c = random_gated_case();
        const auto tried = [&](const auto& gate) {
            must_be_right(c, gated_trial<In, Out>(c).template run<Arch>(gate));
        };
        if (c.kind == 0) tried(swiglu());
        if (c.kind == 1) tried(geglu());
        if (c.kind == 2) tried(geglu_tanh());
    });
}

}  // namespace

TEST_CASE("host") { check<arch::host, f16>("host f16", 60), check<arch::host, float>("host f32", 60); }
TEST_CASE("host, f64 and sums of whole numbers") {
    check<arch::host, double>("host f64", 20), check<arch::host, i8, float>("host i8", 20);
}
TEST_CASE("neighbours in two lanes") {
    check<arch::gfx942, f16>("gfx942", 20), check<arch::gfx1100, bf16>("gfx1100", 20);
    check<arch::gfx1201, f16, float>("gfx1201", 20), check<arch::gfx90a, double>("gfx90a f64", 20);
}
TEST_CASE("neighbours in two registers") {
    check<arch::gfx1030, f16>("gfx1030", 20), check<arch::gfx1100, i8, f16>("gfx1100 i8", 20);
    check<arch::sm_80, f16>("sm_80", 20), check<arch::sm_90a, bf16>("sm_90a", 20);
}

TEST_CASE("what they refuse") {
    host_device cpu;
    std::vector<float> x(64, 1), d(64, 7), four(4), eight(8);
    const auto refused = [&](gemm_problem p, const auto& epilogue) -> std::string {
        p.m = p.k = 8;
        try {
            gemm<float>(cpu, p, {.a = x.data(), .b = x.data(), .c = x.data(), .d = d.data()}, epilogue);
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    const auto contains = [](const std::string& said, const char* words) {
        INFO(said);
        CHECK(said.find(words) != std::string::npos);
    };
    contains(refused({.n = 7}, swiglu()), "n is 7, but swiglu makes one column of D of two neighbours");
    contains(refused({.n = 7}, relu() | (geglu() | relu())), "but geglu makes one column");
    contains(refused({.n = 7}, geglu_tanh()), "but geglu_tanh makes one column");
    contains(refused({.n = 8, .beta = -1}, swiglu()), "beta is -1");
    contains(refused({.n = 8, .ldd = 3}, swiglu()), "a row of that matrix has 4 elements");
    contains(refused({.n = 8, .batch = 2, .stride_a = 0, .stride_b = 0, .stride_d = 31}, swiglu()),
             "overlap");
    contains(refused({.n = 8}, bias(four) | swiglu()), "each of the 8 columns of D");
    contains(refused({.n = 8}, swiglu() | bias(std::span(four).first(3))), "each of the 4 columns of D");
    contains(refused({.n = 8}, swiglu() | residual(four.data(), 3)), "a row of D has 4 elements");
    for (const float v : d) CHECK(v == 7);
    CHECK(refused({.n = 8, .ldd = 4}, bias(eight) | swiglu() | bias(four)) == "");
}

TEST_CASE("gates chosen at run time give the same bits") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const index m = 37, n = 34, k = 32;
    matrix<f16> a({m, k, k}), b({n, k, k}), added({m, n / 2, n / 2});
    std::vector<f16> bias(std::size_t(n), nearest<f16>(0.5));
    a.fill(random, 1), b.fill(random, 0.2), added.fill(random, 1);
    const auto check = [&](auto&& device, auto access) {
        const auto product = [&](const auto& chain, const std::string& words) {
            std::vector<f16> d(std::size_t(m * n / 2), poison<f16>());
            const report said =
                gemm<f16, f16, access()>(device, {.m = m, .n = n, .k = k, .layout = gemm_layout::nt},
                                         {.a = a.data(), .b = b.data(), .d = d.data()}, chain);
            CHECK(said.requested.find("epilogue " + words) != std::string::npos);
            return d;
        };
        const auto same = [](const std::vector<f16>& one, const std::vector<f16>& other) {
            CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(f16)) == 0);
        };
        const auto both = [&](stage_kind kind, const auto& gate) {
            const auto any = any_gated_chain(any_chain<f16>().push(stage_kind::bias, bias), kind,
                                             any_chain<f16>().push(stage_kind::residual, added.data()));
            const std::string words = std::string("bias+") + name(kind) + "+residual";
            CHECK(name_of(any) == words);
            same(product(any, words), product(fade::bias(bias) | gate | residual(added.data()), words));
        };
        same(product(epilogue::any_gate(stage_kind::geglu), "geglu"), product(geglu(), "geglu"));
        both(stage_kind::swiglu, swiglu());
        both(stage_kind::geglu, geglu());
        both(stage_kind::geglu_tanh, geglu_tanh());
    };
    check(host_device(2), [] { return only(operand_access::strided); });
    check(emulated_device<arch::gfx1100>(), [] { return only(operand_access::nt); });
    CHECK(name_of(any_gated_chain(any_chain<float>(), stage_kind::geglu, any_chain<float>())) == "geglu");
    CHECK_THROWS_AS(any_gated_chain(any_chain<float>(), stage_kind::relu, any_chain<float>()), error);
    CHECK_THROWS_AS(any_chain<float>().push(stage_kind::swiglu), error);
}

TEST_CASE("NaN and infinity go through") {
    const epilogue::position at{0, 0, 0, true};
    const float inf = INFINITY;
    CHECK(std::isnan(swiglu()(NAN, 0.0f, at)));
    CHECK(std::isnan(geglu()(1.0f, NAN, at)));
    CHECK(swiglu()(inf, -1.0f, at) == -inf);
    CHECK(geglu_tanh()(2.0f, inf, at) == inf);
}

}  // namespace fade::test

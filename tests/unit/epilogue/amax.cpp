// The largest magnitude that passes, and results of 8 bits behind a factor: to the bit, from the values that
// `aux` stored on the way.
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>

namespace fade::test {

namespace {

template <class Arch>
constexpr auto kernels =
    only(std::is_same_v<Arch, arch::host> ? operand_access::strided : operand_access::nt);

/// Lanes that stand for no element of D see a bias that is larger than all that do.
template <class In, class Out>
struct trial {
    gemm_problem p;
    matrix<In> a, b;
    matrix<Out> d;
    matrix<float> seen;
    std::vector<float> bias;

    explicit trial(std::mt19937_64& random)
        : p{.m = 45 + index(random() % 90),
            .n = 16 * (1 + index(random() % 9)) + 2,
            .k = 64,
            .layout = gemm_layout::nt,
            .batch = 2},
          a({p.m, p.k, p.k, 2, p.m * p.k}), b({p.n, p.k, p.k, 2, p.n * p.k}),
          d({p.m, p.n, p.n, 2, p.m * p.n}), seen({p.m, p.n, p.n, 2, p.m * p.n}), bias(std::size_t(p.n)) {
        a.fill(random, 2), b.fill(random, 2);
        a.each([&](index l, index i, index j) {
            a.at(l, i, j) = nearest<In>(std::fabs(value_of(a.at(l, i, j))));
        });
        std::normal_distribution<float> normal;
        for (float& v : bias) v = normal(random);
        bias[0] = 1e6f;
        for (index l = 0; l < 2; ++l)
            for (index j = 0; j < p.k; ++j) b.at(l, 0, j) = nearest<In>(-100);
    }
    template <class Arch>
    void run(const float& factor, int threads, int split_k, float& most, bool from_memory) {
        auto device = device_of<Arch>(threads, 64);
        d.each([&](index l, index i, index j) { d.at(l, i, j) = poison<Out>(); });
        const gemm_operands<In, Out> o{.a = a.data(), .b = b.data(), .d = d.data()};
        const auto before = fade::bias(bias) | aux(seen.data()) | amax(&most);
        if (from_memory)
            gemm<In, Out, kernels<Arch>>(device, p, o, before | quantize_to<Out>(&factor),
                                         {.split_k = split_k});
        else
            gemm<In, Out, kernels<Arch>>(device, p, o, before | quantize_to<Out>(factor),
                                         {.split_k = split_k});
    }
    float largest_seen() const {
        float out = 0;
        seen.each([&](index l, index i, index j) { out = std::max(out, std::fabs(seen.at(l, i, j))); });
        return out;
    }
};

/// What D holds of x: the nearest number of its range.
template <class Out>
double held(float x, float factor, double high) {
    const double low = std::is_same_v<Out, i8> ? -high - 1 : -high;
    return value_of(nearest<Out>(std::clamp(double(x / factor), low, high)));
}

template <class Arch, class In, class Out>
void check(double high) {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    trial<In, Out> t(random);
    // Where a GPU reaches them, too, which a stack is not.
    const auto factor = std::make_unique<float>(2.5f);
    const auto most = std::make_unique<float>(), raised = std::make_unique<float>();
    for (const int split_k : {1, 2}) {
        *most = 0;
        t.template run<Arch>(*factor, 2, split_k, *most, false);
        INFO(Arch::traits.name, ", split_k ", split_k);
        CHECK(t.d.disturbed() == 0);
        CHECK(*most == t.largest_seen());
        index wrong = 0, ends = 0;
        t.d.each([&](index l, index i, index j) {
            const double want = held<Out>(t.seen.at(l, i, j), *factor, high);
            wrong += value_of(t.d.at(l, i, j)) != want, ends += want == high;
        });
        CHECK(wrong == 0);
        CHECK(ends > 0);
        const auto first = t.d.bytes();
        *raised = 2 * *most;
        t.template run<Arch>(*factor, 1, split_k, *raised, true);
        CHECK(*raised == 2 * *most);  // it was larger before
        CHECK(t.d.same_bytes(first));
    }
    t.a.at(1, t.p.m - 1, 3) = nearest<In>(NAN);
    if (!std::is_integral_v<In>) {
        *most = 0;
        t.template run<Arch>(*factor, 2, 1, *most, true);
        CHECK(std::isnan(*most));
    }
}

}  // namespace

TEST_CASE("host") {
    check<arch::host, f16, f8e4m3>(448), check<arch::host, float, f8e5m2>(57344);
    check<arch::host, bf16, i8>(127), check<arch::host, i8, i8>(127);
    check<arch::host, float, f8e4m3fnuz>(240), check<arch::host, float, f8e5m2fnuz>(57344);
}
TEST_CASE("emulated GPUs") {
    check<arch::gfx942, f16, f8e4m3fnuz>(240), check<arch::gfx1100, bf16, i8>(127);
    check<arch::gfx1030, i8, i8>(127), check<arch::gfx1201, f16, f8e5m2>(57344);
    check<arch::sm_80, f16, f8e4m3>(448), check<arch::sm_90a, f16, f8e4m3>(448);
}

TEST_CASE("behind a gate") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    trial<f16, f16> t(random);
    matrix<float> out({t.p.m, t.p.n / 2, t.p.n / 2, 2, t.p.m * t.p.n / 2});
    const auto run = [&](auto&& device, auto access) {
        const auto before = std::make_unique<float>(), behind = std::make_unique<float>();
        gemm<f16, float, access()>(device, t.p, {.a = t.a.data(), .b = t.b.data(), .d = out.data()},
                                   amax(before.get()) | aux(t.seen.data()) | geglu() | amax(behind.get()));
        float largest = 0;
        out.each([&](index l, index i, index j) { largest = std::max(largest, std::fabs(out.at(l, i, j))); });
        CHECK(*before == t.largest_seen());
        CHECK(*behind == largest);
    };
    run(host_device(2), [] { return kernels<arch::host>; });
    run(emulated_device<arch::gfx1100>(), [] { return kernels<arch::gfx1100>; });
    run(emulated_device<arch::sm_90a>(), [] { return kernels<arch::sm_90a>; });
}

TEST_CASE("of a chain chosen at run time") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    trial<f16, f16> t(random);
    matrix<float> out({t.p.m, t.p.n, t.p.n, 2, t.p.m * t.p.n});
    const auto run = [&](auto&& device, auto access) {
        any_chain<float> any;
        const auto before = std::make_unique<float>(), behind = std::make_unique<float>();
        any.push(stage_kind::bias, t.bias).push_amax(before.get());
        any.push(stage_kind::relu).push_amax(behind.get());
        const auto product = [&](const auto& chain) {
            gemm<f16, float, access()>(device, t.p, {.a = t.a.data(), .b = t.b.data(), .d = out.data()},
                                       chain);
            float largest = 0;
            out.each(
                [&](index l, index i, index j) { largest = std::max(largest, std::fabs(out.at(l, i, j))); });
            return largest;
        };
        CHECK(product(any) == *behind);
        CHECK(product(bias(t.bias)) == *before);
    };
    run(host_device(2), [] { return kernels<arch::host>; });
    run(emulated_device<arch::gfx1100>(), [] { return kernels<arch::gfx1100>; });
    CHECK_THROWS_AS(any_chain<i32>().push_amax(&t.bias[0]), error);
}

TEST_CASE("what they refuse") {
    host_device cpu;
    std::vector<float> a(64, 1);
    std::vector<i8> d(64, 7);
    const auto refused = [&](const auto& epilogue) -> std::string {
        try {
            gemm<float, i8>(cpu, {.m = 8, .n = 8, .k = 8}, {.a = a.data(), .b = a.data(), .d = d.data()},
                            epilogue);
        } catch (const error& e) {
            return e.argument() + " " + e.value();
        }
        return "";
    };
    CHECK(refused(amax(nullptr)) == "amax null");
    CHECK(refused(any_chain<float>().push_amax(nullptr)) == "amax null");
    CHECK(refused(quantize_to<i8>(0.0f)) == "quantize_to 0.000000");
    CHECK(refused(quantize_to<i8>(-1.0f)) == "quantize_to -1.000000");
    CHECK(refused(quantize_to<i8>(NAN)).substr(0, 11) == "quantize_to");
    CHECK(refused(quantize_to<i8>(INFINITY)) == "quantize_to inf");
    CHECK_THROWS_AS(quantize_to<f8e4m3>(static_cast<const float*>(nullptr)), error);
    for (const i8 x : d) CHECK(x == 7);
    CHECK(refused(quantize_to<i8>(1.0f)) == "");
}

/// A box holds 128 of them, so that of 192 columns, and of 320, some lie behind the last whole box.
template <int Columns>
void check_columns_behind_boxes() {
    constexpr gemm_policy policy{.block_tile = {128, Columns, 64},
                                 .wave_tile = {16, Columns},
                                 .pipeline = block::pipeline_kind::tma_ring,
                                 .cluster = Columns > 256 ? 2 : 1};
    constexpr gemm_kernels kernels = with_policy(policy, only(operand_access::nt));
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const index n : {2 * Columns + 48, 2 * Columns - 7}) {
        const gemm_problem p{.m = 150, .n = n, .k = 64, .layout = gemm_layout::nt};
        matrix<bf16> a({p.m, p.k, p.k}), b({p.n, p.k, p.k});
        a.fill(random, 1), b.fill(random, 1);
        const auto rows = unpacked(a, 0, false), columns = unpacked(b, 0, false);
        matrix<i8> d({p.m, p.n, p.n});
        emulated_device<arch::sm_90a> device({.threads = 2, .compute_units = 2});
        d.each([&](index l, index i, index j) { d.at(l, i, j) = poison<i8>(); });
        gemm<bf16, i8, kernels>(device, p, {a.data(), b.data(), nullptr, d.data()}, quantize_to<i8>(.25f));
        CHECK(d.disturbed() == 0);
        index wrong = 0;
        d.each([&](index l, index i, index j) {
            const double sum = dot(&rows[std::size_t(i * p.k)], &columns[std::size_t(j * p.k)], p.k, 0).value;
            wrong += std::fabs(value_of(d.at(l, i, j)) - held<i8>(float(sum), .25f, 127)) > 1;
        });
        INFO(Columns, " columns a tile, n ", n);
        CHECK(wrong == 0);
    }
}

TEST_CASE("results of 8 bits of tiles that are no whole boxes") {
    check_columns_behind_boxes<192>();
    check_columns_behind_boxes<320>();
}

}  // namespace fade::test

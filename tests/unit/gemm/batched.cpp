// Products by tables of pointers: random problems whose matrices lie anywhere, and what is refused.
#include "common/batched_trial.hpp"
#include "common/gemm_random.hpp"
#include "common/refusal.hpp"

namespace fade::test {
namespace {

using enum operand_access;

gemm_case random_batch(const std::vector<gemm_layout>& layouts, index run) {
    gemm_case c = random_case(layouts, run);
    c.problem.batch = *rc::gen::inRange<index>(1, 5), c.split_k = 1;
    return c;
}

/// Two products, whose rows are whole runs or begin anywhere, for a GPU of so many compute units.
gemm_case fixed_batch(gemm_layout layout, index first, int compute_units, std::uint64_t seed) {
    gemm_case c;
    c.seed = seed;
    c.problem = {.m = 160, .n = 264, .k = 80, .layout = layout, .batch = 2};
    lay_out(c.problem, 0, 0);
    c.shift_a = c.shift_b = first, c.compute_units = compute_units;
    return c;
}

/// Problems that reach every kernel, of which there are so many, and `cases` random ones.
template <class Arch, class In, class Out = In, gemm_kernels Kernels = all_accesses>
void check_batches(int cases, std::size_t kernels, const std::vector<gemm_layout>& layouts) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const gemm_layout layout : layouts)
        for (const index first : {0, 1})
            for (const int compute_units : {1, 1000}) {
                const gemm_case c = fixed_batch(layout, first, compute_units, random());
                INFO(c);
                CHECK(batched_outcome<Arch, In, Out, Kernels>(c, reached) == "");
            }
    std::string all;
    for (const std::string& kernel : reached) all += kernel + " ";
    INFO(all);
    CHECK(reached.size() == kernels);
    holds(std::string(Arch::traits.name) + " batches " + name(dtype_v<In>), cases, [&] {
        const gemm_case c = random_batch(layouts, 16 / index(sizeof(In)));
        must_be_right(c, batched_outcome<Arch, In, Out, Kernels>(c, reached));
    });
}

/// A gate and what observes behind it, of products that have none.
template <class Arch>
void check_gated() {
    constexpr index m = 40, n = 48, k = 24;
    matrix<bf16> a({m, k, k, 2, m * k}), b({k, n, n, 2, k * n});
    matrix<float> plain({m, n, n, 2, m * n}), d({m, n / 2, n / 2 + 3, 2, m * n});
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    a.fill(random, 1), b.fill(random, 0.25);
    const bf16* as[] = {&a.at(1, 0, 0), &a.at(0, 0, 0)};
    const bf16* bs[] = {&b.at(0, 0, 0), &b.at(1, 0, 0)};
    float *plains[] = {&plain.at(0, 0, 0), &plain.at(1, 0, 0)}, *ds[] = {&d.at(0, 0, 0), &d.at(1, 0, 0)};
    auto device = device_of<Arch>(2, 1000);
    gemm_problem p{.m = m, .n = n, .k = k, .batch = 2};
    batched_gemm_operands<bf16, float> o{.a = as, .b = bs, .d = plains};
    batched_gemm<bf16, float, only(nn)>(device, p, o);
    float largest = 0, seen = 0;
    o.d = ds, p.ldd = n / 2 + 3;
    batched_gemm<bf16, float, only(nn)>(device, p, o, swiglu() | amax(&largest));
    CHECK(d.disturbed() == 0);
    d.each([&](index batch, index i, index j) {
        const double gate = plain.at(batch, i, 2 * j), up = plain.at(batch, i, 2 * j + 1),
                     want = gate * sigmoid_of(gate) * up;
        CHECK(std::fabs(d.at(batch, i, j) - want) <= 4e-6 * (1 + std::fabs(gate * up)));
        seen = std::max(seen, std::fabs(d.at(batch, i, j)));
    });
    CHECK(largest == seen);
}

/// Two small products, right; tests change one thing of them.
struct call {
    std::vector<float> memory = std::vector<float>(640, 0.5f);
    std::vector<const float*> a{memory.data(), memory.data()}, b{memory.data() + 64, memory.data() + 128};
    std::vector<float*> d{memory.data() + 192, memory.data() + 256};
    std::vector<float*> c{d};
    gemm_problem problem{.m = 8, .n = 8, .k = 8, .batch = 2, .beta = 1};
    batched_gemm_operands<float> operands{.a = a.data(), .b = b.data(), .c = c.data(), .d = d.data()};
    batched_gemm_options options;

    /// Of the refusal: the argument and its value; "none" where the products were made.
    std::string refused() {
        const std::vector<float> before = memory;
        host_device cpu;
        try {
            batched_gemm<float>(cpu, problem, operands, {}, options);
        } catch (const error& e) {
            INFO("said: ", e.what());
            CHECK(e.rule().size() > 10);
            CHECK(memory == before);
            return e.argument() + " " + e.value();
        }
        return memory == before ? "nothing was written" : "none";
    }
};

}  // namespace

TEST_CASE("host") {
    const std::vector<gemm_layout> all{gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt};
    check_batches<arch::host, f32>(150, 1, all);
    check_batches<arch::host, f16>(80, 1, all);
    check_batches<arch::host, i8, float>(80, 1, all);
}
TEST_CASE("gfx942") {
    check_batches<arch::gfx942, f16, f16, only(nt, tt, strided)>(80, 5, {gemm_layout::nt, gemm_layout::tt});
}
TEST_CASE("gfx1100") {
    check_batches<arch::gfx1100, bf16, float, only(nn, strided)>(60, 3, {gemm_layout::nn});
}
TEST_CASE("sm_90a") { check_batches<arch::sm_90a, f16, f16, only(tn, strided)>(60, 3, {gemm_layout::tn}); }

TEST_CASE("a gate and amax") { check_gated<arch::host>(), check_gated<arch::gfx1100>(); }

TEST_CASE("what is refused, and in which words") {
    call c;
    SUBCASE("D in place of C, and A named twice") { CHECK(c.refused() == "none"); }
    SUBCASE("a null pointer") {
        c.b[1] = nullptr;
        CHECK(c.refused() == "b[1] null");
    }
    SUBCASE("a pointer that is less aligned than was said") {
        c.a[1] = c.memory.data() + 1;
        CHECK(c.refused() == "a[1] " + std::to_string(reinterpret_cast<std::uintptr_t>(c.a[1])));
        c.options.alignment = 4;
        CHECK(c.refused() == "none");
    }
    SUBCASE("no alignment") {
        c.options.alignment = 12;
        CHECK(c.refused() == "alignment 12");
        c.options.alignment = 2;
        CHECK(c.refused() == "alignment 2");
    }
    SUBCASE("no table") {
        c.operands.d = nullptr;
        CHECK(c.refused() == "d null");
        c.operands.d = c.d.data(), c.operands.c = nullptr;
        CHECK(c.refused() == "c null");
    }
    SUBCASE("a stride") {
        c.problem.stride_b = 64;
        CHECK(c.refused() == "stride_b 64");
    }
    SUBCASE("one D for two products") {
        c.problem.beta = 0, c.d[1] = c.d[0] + 8;
        CHECK(c.refused() == "d[1] overlapping d[0]");
    }
    SUBCASE("D in an operand") {
        c.b[1] = c.d[0] + 60;
        CHECK(c.refused() == "d[0] overlapping b[1]");
    }
    SUBCASE("the C of another product") {
        std::swap(c.c[0], c.c[1]);
        CHECK(c.refused().find(" overlapping c[") == 4);
    }
    SUBCASE("blocks of one larger matrix lie apart, but for those that do not") {
        c.problem.beta = 0, c.problem.ldd = 16, c.d[1] = c.d[0] + 8;
        CHECK(c.refused() == "none");
        for (const int step : {7, -7, 16, 16 * 7 + 7, 16 - 7}) {
            c.d[0] = c.memory.data() + 320, c.d[1] = c.d[0] + step;
            CHECK(c.refused() == "d[1] overlapping d[0]");
        }
        c.d[1] = c.d[0] + 16 * 7 + 8;
        CHECK(c.refused() == "none");
    }
}

TEST_CASE("plans look at no table, and a fallback is refused in strict mode") {
    call c;
    emulated_device<arch::gfx942> device;
    c.a[0] = nullptr;
    const gemm_plan plan = plan_batched_gemm<float>(device, c.problem, c.operands);
    CHECK(plan.launches.size() == 1);
    CHECK(plan.report.chosen.find("batched_gemm_nn_small") == 0);
    CHECK(plan.report.evidence.find("none: nobody audited") == 0);
    c.options.alignment = 8, c.options.strict = true;
    CHECK_THROWS_WITH_AS(plan_batched_gemm<float>(device, c.problem, c.operands, {}, c.options),
                         doctest::Contains("multiples of 8 bytes, not of 16"), error);
    c.options.strict = false;
    CHECK_THROWS_AS((plan_batched_gemm<float, float, only(nn)>(device, c.problem, c.operands, {}, c.options)),
                    error);
    c.problem.batch = 0;
    CHECK(plan_batched_gemm<float>(device, c.problem, c.operands).launches.empty());
}

}  // namespace fade::test

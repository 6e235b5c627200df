// What every machine with 8-bit floats must do with scales of parts: random problems against sums in double
// precision.
#pragma once
#include "common/property.hpp"
#include "common/scaled_trial.hpp"

namespace fade::test {

/// Sizes around tiles and parts of k; half of the cases lie in aligned runs. D has n / joined columns.
inline scaled_case random_scaled_case(int joined) {
    scaled_case c;
    scaled_gemm_problem& p = c.problem;
    p.m = *rc::gen::inRange<index>(1, 150), p.n = *rc::gen::inRange<index>(1, 280);
    p.k = *rc::gen::weightedOneOf<index>({{4, rc::gen::inRange<index>(0, 400)},
                                          {3, rc::gen::element<index>(128, 256, 384, 512)},
                                          {1, rc::gen::element<index>(16, 127, 129, 255)}});
    p.layout = *rc::gen::element(gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt);
    const bool aligned = *rc::gen::arbitrary<bool>();
    const index unit = aligned ? 16 : 1;
    const auto rounded = [&](index x) { return ceil_div(x, unit) * unit; };
    p.m = rounded(p.m), p.n = rounded(p.n), p.k = rounded(p.k);
    const auto pad = [&] { return unit * *rc::gen::inRange<index>(0, 3); };
    p.n = ceil_div<index>(p.n, joined) * joined;
    p.lda = (a_transposed(p.layout) ? p.m : p.k) + pad(),
    p.ldb = (b_transposed(p.layout) ? p.k : p.n) + pad();
    p.ldd = p.n / joined + pad();
    p.rows_per_scale = *rc::gen::element<index>(1, 1, 128, 4),
    p.columns_per_scale = *rc::gen::element<index>(128, 128, 1, 32);
    const index parts = std::max<index>(ceil_div<index>(p.k, 128), 1), some = *rc::gen::inRange<index>(0, 3);
    const bool a_by_k = *rc::gen::arbitrary<bool>(), b_by_k = *rc::gen::arbitrary<bool>();
    p.scale_a_row = a_by_k ? 1 : parts + some,
    p.scale_a_k = a_by_k ? ceil_div(p.m, p.rows_per_scale) + some : 1;
    p.scale_b_column = b_by_k ? 1 : parts + some,
    p.scale_b_k = b_by_k ? ceil_div(p.n, p.columns_per_scale) + some : 1;
    if (!aligned) c.shift = *rc::gen::inRange<index>(0, 3);
    c.compute_units = *rc::gen::element(1, 1000), c.threads = *rc::gen::inRange(1, 4);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// Problems that reach every kernel, of which there are so many, and `cases` random ones.
template <class Arch, class In, class Out, bool Gated = false>
void scaled_suite(int cases, std::size_t kernels) {
    using trial = scaled_trial<In, Out, Gated>;
    constexpr int joined = Gated ? 2 : 1;
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    for (const auto layout : {gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt})
        for (const int compute_units : {1, 1000})
            for (const index columns_per_scale : {128, 32}) {
                scaled_case c{.problem = {.m = 144, .n = 272, .k = 272, .layout = layout}};
                scaled_gemm_problem& p = c.problem;
                p.lda = a_transposed(layout) ? p.m : p.k, p.ldb = b_transposed(layout) ? p.k : p.n,
                p.ldd = p.n / joined;
                p.scale_a_row = p.scale_b_column = 3;
                p.columns_per_scale = columns_per_scale, c.compute_units = compute_units, c.seed = random();
                INFO(c);
                CHECK(trial(c).template run<Arch>(reached) == "");
            }
    // Deeper than what the host packs at once.
    for (const auto layout : {gemm_layout::nt, gemm_layout::nn}) {
        scaled_case c{.problem = {.m = 5, .n = 300, .k = 1100, .layout = layout}};
        c.problem.lda = 1100, c.problem.ldb = b_transposed(layout) ? 1100 : 300, c.problem.ldd = 300 / joined;
        c.problem.scale_a_row = c.problem.scale_b_column = 9;
        c.seed = random();
        INFO(c);
        CHECK(trial(c).template run<Arch>(reached) == "");
    }
    CHECK(reached.size() >= kernels);
    holds(std::string(Arch::traits.name) + (Gated ? " gated" : "") + " scales " + name(dtype_v<In>), cases,
          [&] {
              const scaled_case c = random_scaled_case(joined);
              must_be_right(c, trial(c).template run<Arch>(reached));
          });
}

}  // namespace fade::test

#define FADE_SCALED_SUITE(ARCH, IN, OUT, CASES, KERNELS)                                                     \
    TEST_CASE(#ARCH " " #IN) {                                                                               \
        fade::test::scaled_suite<fade::arch::ARCH, fade::IN, fade::OUT>(CASES, KERNELS);                     \
    }
#define FADE_SCALED_GATES(ARCH, IN, OUT, CASES, KERNELS)                                                     \
    TEST_CASE(#ARCH " " #IN " gated") {                                                                      \
        fade::test::scaled_suite<fade::arch::ARCH, fade::IN, fade::OUT, true>(CASES, KERNELS);               \
    }

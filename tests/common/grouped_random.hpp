// Random grouped products: sizes around everything that has an edge.
#pragma once
#include "common/grouped_case.hpp"
#include "common/property.hpp"

namespace fade::test {

/// Groups without rows, of a few, of many tiles; in some cases most fill large ones. Half of the cases lie in
/// aligned runs of `run` elements.
inline grouped_case random_grouped_case(index run) {
    grouped_case c;
    grouped_gemm_problem& p = c.problem;
    p.groups = *rc::gen::weightedOneOf<int>({{1, rc::gen::just(1)}, {6, rc::gen::inRange(2, 9)}});
    const auto size =
        rc::gen::weightedOneOf<int>({{2, rc::gen::just(0)},
                                     {4, rc::gen::inRange(1, 70)},
                                     {2, rc::gen::element(16, 32, 48, 64, 128, 256, 63, 65, 129, 257)}});
    const auto full = rc::gen::weightedOneOf<int>(
        {{1, rc::gen::just(0)}, {5, rc::gen::element(1, 64, 65, 127, 128, 129, 192, 256, 300)}});
    const bool fills = *rc::gen::element(false, false, true);
    for (int g = 0; g < p.groups; ++g) c.sizes.push_back(fills ? *full : *size);
    c.spare = *rc::gen::element<index>(0, 0, 1, 130);
    p.rows = c.used() + c.spare;
    p.n = *rc::gen::inRange<index>(1, fills ? 400 : 200), p.k = *rc::gen::inRange<index>(0, 150);
    p.layout = *rc::gen::element(gemm_layout::nn, gemm_layout::nt);
    p.alpha = *rc::gen::element(1.0, 1.0, -0.5, 0.0), p.beta = *rc::gen::element(0.0, 0.0, -1.5);
    c.listed = fills ? *rc::gen::element(false, false, true) : *rc::gen::arbitrary<bool>();
    if (c.listed) p.rows_of_a = *rc::gen::inRange<index>(1, 90);
    const bool aligned = *rc::gen::arbitrary<bool>(), t = b_transposed(p.layout);
    if (aligned) p.n = ceil_div(p.n, run) * run, p.k = ceil_div(p.k, run) * run;
    const index unit = aligned ? run : 1;
    const auto pad = [&] { return unit * *rc::gen::inRange<index>(0, 3); };
    c.by_defaults = *rc::gen::element(true, false, false);
    p.lda = p.k + (c.by_defaults ? 0 : pad()), p.ldb = (t ? p.k : p.n) + (c.by_defaults ? 0 : pad());
    p.stride_b = (t ? p.n : p.k) * p.ldb + (c.by_defaults ? 0 : pad());
    const index unit_of_d = *rc::gen::element<index>(1, unit);  // rows of D may be whole runs, too
    const auto pad_of_d = [&] { return unit_of_d * *rc::gen::inRange<index>(0, 3); };
    p.ldc = p.n + (c.by_defaults ? 0 : pad_of_d());
    c.in_place = p.beta != 0 && *rc::gen::arbitrary<bool>();
    p.ldd = p.ldc + (c.in_place || c.by_defaults ? 0 : pad_of_d());
    if (!aligned) c.shift = *rc::gen::inRange<index>(0, 3);
    c.compute_units = *rc::gen::element(1, 3, 1000), c.threads = *rc::gen::inRange(1, 4);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

}  // namespace fade::test

// Random cases: sizes around everything that has an edge, every layout, any leading dimensions, batches,
// epilogues.
#pragma once
#include "common/gemm_case.hpp"
#include "common/property.hpp"
#include <fade/tune/gemm/select.hpp>

namespace fade::test {

inline rc::Gen<index> random_size() {
    const auto prime = rc::gen::element<index>(2, 3, 5, 7, 11, 13, 17, 31, 61, 67, 127, 131, 151);
    const auto round = rc::gen::map(rc::gen::inRange<index>(1, 25), [](index i) { return 8 * i; });
    return rc::gen::weightedOneOf<index>(
        {{1, rc::gen::element<index>(0, 1)}, {3, prime}, {4, round}, {3, rc::gen::inRange<index>(1, 160)}});
}

inline stage_case random_stage() {
    const auto kind = stage_kind(*rc::gen::inRange(0, stage_kinds));
    const double low = *rc::gen::element(-0.5, 0.25, 1.5);
    return {kind, low, low + 1.25, *rc::gen::element(false, false, true)};
}

/// Rows of whole 16-byte runs, so that the fast readings apply.
inline void lay_out_aligned(gemm_case& c, index run) {
    auto& p = c.problem;
    for (index* size : {&p.m, &p.n, &p.k}) *size = (*size + run - 1) / run * run;
    lay_out(p, run * *rc::gen::inRange<index>(0, 3), run * *rc::gen::inRange<index>(0, 3));
    c.shift_d = *rc::gen::inRange<index>(0, 9);
}

/// The same in runs that begin at any word, as AMD's GPUs read them.
inline void lay_out_by_words(gemm_case& c, index run) {
    auto& p = c.problem;
    const index word = run / 4;
    const auto any = [&] { return word * *rc::gen::inRange<index>(0, 5); };
    lay_out_aligned(c, run);
    p.lda += any(), p.ldb += any();
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    p.stride_a = (ta ? p.k : p.m) * p.lda + any(), p.stride_b = (tb ? p.n : p.k) * p.ldb + any();
    c.shift_a = any(), c.shift_b = any();
}

/// Any strides, any alignment; odd leading dimensions, so that no fast reading applies by chance.
inline void lay_out_anyhow(gemm_case& c) {
    auto& p = c.problem;
    lay_out(p, *rc::gen::inRange<index>(0, 7), *rc::gen::inRange<index>(0, 20));
    p.lda |= 1, p.ldb |= 1;
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    p.stride_a = (ta ? p.k : p.m) * p.lda + 1, p.stride_b = (tb ? p.n : p.k) * p.ldb + 3;
    c.shift_a = *rc::gen::inRange<index>(0, 9), c.shift_b = *rc::gen::inRange<index>(0, 9),
    c.shift_d = *rc::gen::inRange<index>(0, 9);
}

/// Aligned rows whose contents end anywhere: a run of 16 bytes would read beyond them.
inline void lay_out_ragged(gemm_case& c, index run) {
    auto& p = c.problem;
    lay_out(p, 0, 0);
    for (index* ld : {&p.lda, &p.ldb}) *ld = (*ld + run - 1) / run * run;
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    p.stride_a = (ta ? p.k : p.m) * p.lda, p.stride_b = (tb ? p.n : p.k) * p.ldb;
}

/// A case of one of `layouts`; half of them are aligned to `run` elements.
inline gemm_case random_case(const std::vector<gemm_layout>& layouts, index run = 8) {
    gemm_case c;
    auto& p = c.problem;
    p.layout = *rc::gen::elementOf(layouts);
    p.m = *random_size(), p.n = *random_size(), p.k = *random_size();
    p.batch = *rc::gen::weightedElement<index>({{6, 1}, {1, 0}, {2, 2}, {1, 3}});
    p.alpha = *rc::gen::element(1.0, 1.0, -0.5, 2.25, 0.0), p.beta = *rc::gen::element(0.0, 0.0, 1.0, -1.5);
    const int kind = *rc::gen::weightedElement<int>({{3, 0}, {2, 1}, {1, 2}, {2, 3}});
    if (kind == 0)
        lay_out_aligned(c, run);
    else if (kind == 1)
        lay_out_anyhow(c);
    else if (kind == 3)
        lay_out_by_words(c, run);
    else
        lay_out_ragged(c, run);
    c.in_place = c.reads_c() && *rc::gen::arbitrary<bool>();
    if (p.batch > 1) {  // operands that all products of the batch share
        if (*rc::gen::element(false, false, true)) p.stride_a = 0;
        if (*rc::gen::element(false, false, true)) p.stride_b = 0;
        if (!c.in_place && *rc::gen::arbitrary<bool>()) p.stride_c = 0;
    }
    c.packed_by_default = *rc::gen::arbitrary<bool>();
    if (!c.in_place) p.ldd += *rc::gen::inRange<index>(0, 3), p.stride_d = p.m * p.ldd + 5;
    for (int i = *rc::gen::weightedElement<int>({{3, 0}, {3, 1}, {1, 2}, {1, 4}}); i > 0; --i)
        c.stages.push_back(random_stage());
    c.compute_units = *rc::gen::element(1, 2, 1000, 1000), c.threads = *rc::gen::inRange(1, 4);
    c.split_k =
        // 0: the library decides; above 8 one round of loads does not combine all parts
        *rc::gen::weightedElement<int>({{6, 1}, {1, 0}, {1, 2}, {1, 3}, {1, 7}, {1, 20}});
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// A problem of a reading whose rows are whole runs of so many elements.
template <operand_access Access>
gemm_case aligned_case(index m, index n, index k, index run = 8) {
    const auto whole = [run](index x) { return ceil_div(x, run) * run; };
    const gemm_layout layout = gemm_layout(int(Access));
    gemm_case c;
    c.problem.layout = layout, c.problem.k = whole(k);
    c.problem.m = a_transposed(layout) ? whole(m) : m;
    c.problem.n = b_transposed(layout) ? n : whole(n);
    lay_out(c.problem, 0, 0);
    return c;
}

}  // namespace fade::test

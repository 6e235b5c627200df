// One matrix multiplication to try: the problem, how its matrices lie, its epilogue, the device.
#pragma once
#include "common/matrix.hpp"
#include "common/stages.hpp"
#include <fade/kernel/gemm/problem.hpp>
#include <ostream>
#include <vector>

namespace fade::test {

struct stage_case {
    stage_kind kind;
    double low = 0, high = 0;  // the factor of scale, the limits of clamp
    bool repeats = false;      // one matrix for all batches
};

struct gemm_case {
    gemm_problem problem;
    index shift_a = 0, shift_b = 0, shift_d = 0;  // elements from an aligned address
    std::vector<stage_case> stages;
    bool in_place = false;           // D is C
    bool packed_by_default = false;  // what lies packed is asked for by defaults
    int compute_units = 64, threads = 1, split_k = 1;
    std::uint64_t seed = 0;

    bool reads_c() const { return problem.beta != 0; }
    placement a() const {
        const bool t = a_transposed(problem.layout);
        return {t ? problem.k : problem.m,
                t ? problem.m : problem.k,
                problem.lda,
                problem.batch,
                problem.stride_a,
                shift_a};
    }
    placement b() const {
        const bool t = b_transposed(problem.layout);
        return {t ? problem.n : problem.k,
                t ? problem.k : problem.n,
                problem.ldb,
                problem.batch,
                problem.stride_b,
                shift_b};
    }
    placement c() const {
        return {problem.m, problem.n, problem.ldc, problem.batch, problem.stride_c, shift_d};
    }
    placement d() const {
        return {problem.m, problem.n, problem.ldd, problem.batch, problem.stride_d, shift_d};
    }
    /// What a stage reads: a vector, or a matrix of D's shape with rows of its own length.
    placement source(const stage_case& s) const {
        if (reads_columns(s.kind)) return {1, problem.n, problem.n, 1, 0, 1};
        if (reads_rows(s.kind)) return {1, problem.m, problem.m, 1, 0, 1};
        if (s.kind == stage_kind::batch_bias)
            return {1, problem.n, problem.n, problem.batch, s.repeats ? 0 : problem.n + !packed_by_default,
                    1};
        const index ld = packed_by_default ? problem.n : problem.n + 3,
                    stride = s.repeats ? 0 : problem.m * ld + !packed_by_default;
        return {problem.m, problem.n, ld, problem.batch, stride, 1};
    }
    /// What the call is asked for: the problem, or the defaults that mean the same.
    gemm_problem asked() const {
        gemm_problem p = problem;
        if (!packed_by_default) return p;
        const auto shorten = [&](index& ld, index& stride, const placement& at) {
            if (at.stride == at.rows * at.ld) stride = -1;
            if (at.ld == at.columns) ld = 0;
        };
        shorten(p.lda, p.stride_a, a()), shorten(p.ldb, p.stride_b, b()), shorten(p.ldc, p.stride_c, c());
        if (p.ldc == 0) shorten(p.ldd, p.stride_d, d());  // else a default of D's would be C's
        return p;
    }
};

/// Makes leading dimensions and strides explicit: `pad` elements between rows, `gap` between batches.
inline void lay_out(gemm_problem& p, index pad, index gap) {
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    p.lda = (ta ? p.m : p.k) + pad, p.ldb = (tb ? p.k : p.n) + pad, p.ldc = p.ldd = p.n + pad;
    p.stride_a = (ta ? p.k : p.m) * p.lda + gap, p.stride_b = (tb ? p.n : p.k) * p.ldb + gap;
    p.stride_c = p.stride_d = p.m * p.ldd + gap;
}

inline std::ostream& operator<<(std::ostream& to, const gemm_case& c) {
    const auto& p = c.problem;
    to << name(p.layout) << " m=" << p.m << " n=" << p.n << " k=" << p.k << " batch=" << p.batch
       << " alpha=" << p.alpha << " beta=" << p.beta << " lda=" << p.lda << " ldb=" << p.ldb
       << " ldc=" << p.ldc << " ldd=" << p.ldd << " strides " << p.stride_a << ' ' << p.stride_b << ' '
       << p.stride_c << ' ' << p.stride_d << " shifts " << c.shift_a << ' ' << c.shift_b << ' ' << c.shift_d
       << (c.in_place ? " in place" : "") << (c.packed_by_default ? " by defaults" : "")
       << " compute_units=" << c.compute_units << " threads=" << c.threads << " split_k=" << c.split_k
       << " seed=" << c.seed << " epilogue";
    for (const auto& s : c.stages)
        to << ' ' << name(s.kind) << '(' << s.low << ',' << s.high << (s.repeats ? ", repeats)" : ")");
    return to;
}

}  // namespace fade::test

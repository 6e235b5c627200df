// One grouped product to try: how many rows each group has, how the matrices lie, which rows of A are named.
#pragma once
#include "common/gemm_data.hpp"
#include <fade/kernel/grouped/problem.hpp>
#include <numeric>

namespace fade::test {

struct grouped_case {
    grouped_gemm_problem problem;
    std::vector<int> sizes;  // rows of each group
    index spare = 0;         // rows of D behind the last group
    bool listed = false, in_place = false, by_defaults = false;
    index shift = 0;  // elements from an aligned address
    int compute_units = 64, threads = 1;
    std::uint64_t seed = 0;

    int used() const { return std::accumulate(sizes.begin(), sizes.end(), 0); }
    placement a() const {
        return {listed ? problem.rows_of_a : problem.rows, problem.k, problem.lda, 1, 0, shift};
    }
    placement b() const {
        const bool t = b_transposed(problem.layout);
        return {t ? problem.n : problem.k, t ? problem.k : problem.n, problem.ldb,
                index(problem.groups),     problem.stride_b,          shift};
    }
    placement d() const { return {problem.rows, problem.n, problem.ldd, 1, 0, shift}; }
    placement c() const { return {problem.rows, problem.n, problem.ldc, 1, 0, shift}; }
};

inline std::ostream& operator<<(std::ostream& to, const grouped_case& c) {
    const grouped_gemm_problem& p = c.problem;
    to << name(p.layout) << " rows " << p.rows << " n " << p.n << " k " << p.k << " alpha " << p.alpha
       << " beta " << p.beta << " lda " << p.lda << " ldb " << p.ldb << " ldc " << p.ldc << " ldd " << p.ldd
       << " stride_b " << p.stride_b << " rows_of_a " << p.rows_of_a << (c.listed ? " by a list" : "")
       << (c.in_place ? " in place" : "") << (c.by_defaults ? " by defaults" : "") << " shift " << c.shift
       << " compute_units " << c.compute_units << " threads " << c.threads << " seed " << c.seed
       << " groups of";
    for (const int size : c.sizes) to << ' ' << size;
    return to;
}

/// What decides which kernel a case reaches.
struct case_size {
    bool full;   ///< a group that fills large tiles and a smaller one, else two that fill few
    bool units;  ///< so many compute units that large tiles are too few for them
    bool listed;
};

/// Two groups; aligned runs of `run` elements.
inline grouped_case case_of_size(gemm_layout layout, const case_size& of, index run, std::uint64_t seed) {
    grouped_case c;
    grouped_gemm_problem& p = c.problem;
    c.sizes = of.full ? std::vector<int>{300, 200} : std::vector<int>{20, 37};
    c.spare = of.full ? 5 : 0;
    p = {.rows = c.used() + c.spare,
         .n = run * (of.full ? 33 : 9),
         .k = run * 5,
         .groups = 2,
         .layout = layout};
    const bool t = b_transposed(layout);
    p.lda = p.k, p.ldb = t ? p.k : p.n, p.stride_b = p.n * p.k, p.ldc = p.ldd = p.n;
    c.listed = of.listed, p.rows_of_a = of.listed ? 50 : 0;
    c.compute_units = of.units ? 1000 : 1, c.seed = seed;
    return c;
}

}  // namespace fade::test

// What a grouped product with quantised weights refuses before anything is written.
#pragma once
#include <fade/kernel/grouped/check.hpp>
#include <fade/kernel/grouped/weights_problem.hpp>
#include <fade/kernel/weights/check.hpp>

namespace FADE_NAMESPACE::kernel {

/// The product whose weights have become numbers: what the checks of groups hold for.
inline grouped_gemm_problem as_groups(const grouped_weight_gemm_problem& p) {
    return {.rows = p.rows,
            .n = p.n,
            .k = p.k,
            .groups = p.groups,
            .layout = gemm_layout::nt,
            .alpha = p.alpha,
            .beta = p.beta,
            .rows_of_a = p.rows_of_a,
            .lda = p.lda,
            .ldc = p.ldc,
            .ldd = p.ldd};
}

/// The product of all rows that one group may have: what the checks of weights hold for.
inline weight_gemm_problem of_one_group(const grouped_weight_gemm_problem& p) {
    return {.m = max_of(p.rows, p.rows_of_a),
            .n = p.n,
            .k = p.k,
            .alpha = p.alpha,
            .beta = p.beta,
            .lda = p.lda,
            .ldc = p.ldc,
            .ldd = p.ldd,
            .group = p.group};
}

/// Sizes that can be; leading dimensions made explicit. D has n / joined columns.
inline grouped_weight_gemm_problem checked(grouped_weight_gemm_problem p, const weight_format& format,
                                           int joined = 1) {
    const grouped_gemm_problem groups = checked(as_groups(p), joined);
    p.lda = groups.lda, p.ldc = groups.ldc, p.ldd = groups.ldd;
    checked(of_one_group(p), format, joined);
    return p;
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps nothing
/// but C.
template <weight_format Format, class In, class Out>
void check_operands(const grouped_weight_gemm_problem& p,
                    const grouped_weight_gemm_operands<Format, In, Out>& o, int joined = 1) {
    if (p.rows == 0 || p.n == 0 || p.groups == 0) return;
    check_zeros(Format, o.zeros);
    grouped_gemm_problem tables = as_groups(p);
    tables.alpha = 0;  // A and W are looked at below
    check_operands(tables, grouped_gemm_operands<In, Out>{nullptr, nullptr, o.c, o.d, o.ends, o.row_list},
                   joined);
    if (p.k == 0 || p.alpha == 0) return;
    const block::weight_memory w = memory_of(of_one_group(p), o.weights, o.scales.get(), o.zeros);
    const weight_extent each = extent_of<Format>(w);
    check_read(Format, range_of("d", o.d.get(), p.rows, p.n / joined, p.ldd, 1, 0),
               range_of("a", o.a.get(), o.row_list ? p.rows_of_a : p.rows, p.k, p.lda, 1, 0), o.a.get(), w,
               {each.words * p.groups, each.scales * p.groups, each.zeros * p.groups});
}

}  // namespace FADE_NAMESPACE::kernel

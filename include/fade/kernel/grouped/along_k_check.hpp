// What a product of groups along k refuses before anything is written.
#pragma once
#include <fade/kernel/grouped/along_k_problem.hpp>
#include <fade/kernel/grouped/check.hpp>

namespace FADE_NAMESPACE::kernel {

/// All groups as one batch whose products sum all rows of the same A and B: what the checks of a product hold
/// for.
inline gemm_problem as_batch(const grouped_k_gemm_problem& p) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .layout = gemm_layout::tn,
            .batch = p.groups,
            .alpha = p.alpha,
            .beta = p.beta,
            .lda = p.lda,
            .ldb = p.ldb,
            .ldc = p.ldc,
            .ldd = p.ldd,
            .stride_a = 0,
            .stride_b = 0,
            .stride_c = p.stride_c,
            .stride_d = p.stride_d};
}

/// As the tables of grouped_gemm() are looked at: all of k lies in rows.
inline grouped_gemm_problem as_rows(const grouped_k_gemm_problem& p) {
    return {.rows = p.k, .groups = p.groups};
}

/// Sizes that can be; strides and leading dimensions made explicit. D has n / joined columns.
inline grouped_k_gemm_problem checked(grouped_k_gemm_problem p, int joined = 1) {
    require(p.groups >= 0 && p.groups <= 65535, "groups", p.groups, "it must be between 0 and 65535");
    const gemm_problem all = checked(as_batch(p), joined);
    p.lda = all.lda, p.ldb = all.ldb, p.ldc = all.ldc, p.ldd = all.ldd;
    p.stride_c = all.stride_c, p.stride_d = all.stride_d;
    return p;
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps nothing
/// but C.
template <class In, class Out>
void check_operands(const grouped_k_gemm_problem& p, const grouped_k_gemm_operands<In, Out>& o,
                    int joined = 1) {
    if (p.m == 0 || p.n == 0 || p.groups == 0) return;
    if (!o.ends) throw error("ends", "null", "the last row of each group is read");
    check_operands(as_batch(p), gemm_operands<In, Out>{o.a, o.b, o.c, o.d}, joined);
    const byte_range d = range_of("d", o.d.get(), p.m, p.n / joined, p.ldd, p.groups, p.stride_d);
    if (d.overlaps(bytes_from(o.ends.get(), wide_index(p.groups) * int(sizeof(int)))))
        throw error("d", "overlapping ends", "the result may not lie in an operand");
}

}  // namespace FADE_NAMESPACE::kernel

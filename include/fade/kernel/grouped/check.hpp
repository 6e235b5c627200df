// What a grouped matrix multiplication refuses before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/kernel/grouped/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// All groups as one batch whose products have all rows: what the checks of a product hold for.
inline gemm_problem as_batch(const grouped_gemm_problem& p) {
    return {.m = p.rows,
            .n = p.n,
            .k = p.k,
            .layout = p.layout,
            .batch = p.groups,
            .alpha = p.alpha,
            .beta = p.beta,
            .lda = p.lda,
            .ldb = p.ldb,
            .ldc = p.ldc,
            .ldd = p.ldd,
            .stride_a = 0,
            .stride_b = p.stride_b,
            .stride_c = 0,
            .stride_d = 0};
}

/// Sizes that can be; strides and leading dimensions made explicit. D has n / joined columns.
inline grouped_gemm_problem checked(grouped_gemm_problem p, int joined = 1) {
    require(p.groups >= 0 && p.groups <= 65535, "groups", p.groups, "it must be between 0 and 65535");
    require(!a_transposed(p.layout), "layout", int(p.layout),
            "groups are rows of A, so the layouts of a grouped product are nn (0) and nt (1)");
    require(p.rows >= 0 && p.rows < index(1) << 31, "rows", p.rows, "it must be between 0 and 2^31 - 1");
    require(p.rows_of_a >= 0 && p.rows_of_a < index(1) << 31, "rows_of_a", p.rows_of_a,
            "it must be between 0 and 2^31 - 1");
    gemm_problem one = as_batch(p);
    one.batch = 1;
    one = checked(one, joined);
    const bool t = b_transposed(p.layout);
    const matrix_extent b =
        checked_matrix("ldb", "stride_b", t ? p.n : p.k, t ? p.k : p.n, p.ldb, p.stride_b, p.groups);
    p.lda = one.lda, p.ldb = one.ldb, p.ldc = one.ldc, p.ldd = one.ldd, p.stride_b = b.stride;
    return p;
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps nothing
/// but C.
template <class In, class Out>
void check_operands(const grouped_gemm_problem& p, const grouped_gemm_operands<In, Out>& o, int joined = 1) {
    if (p.rows == 0 || p.n == 0 || p.groups == 0) return;
    if (!o.ends) throw error("ends", "null", "the last row of each group is read");
    require(!o.row_list || p.rows_of_a > 0 || p.k == 0, "rows_of_a", p.rows_of_a,
            "where a list names rows of A, say how many it has");
    require(o.row_list || p.rows_of_a == 0 || p.rows_of_a == p.rows, "rows_of_a", p.rows_of_a,
            "without a list A has the " + std::to_string(p.rows) + " rows of D (0 says so, too)");
    const bool reads = p.k > 0 && p.alpha != 0;
    if (reads && !o.a) throw error("a", "null", "with n, k, rows and groups above 0 it is read");
    if (reads && !o.b) throw error("b", "null", "with n, k, rows and groups above 0 it is read");
    gemm_problem without_product = as_batch(p);
    without_product.batch = 1, without_product.k = 0;
    check_operands(without_product, gemm_operands<In, Out>{nullptr, nullptr, o.c, o.d}, joined);
    const byte_range d = range_of("d", o.d.get(), p.rows, p.n / joined, p.ldd, 1, 0);
    const auto apart = [&](const char* name, const byte_range& other) {
        if (d.overlaps(other))
            throw error("d", std::string("overlapping ") + name, "the result may not lie in an operand");
    };
    apart("ends", bytes_from(o.ends.get(), wide_index(p.groups) * int(sizeof(int))));
    if (o.row_list) apart("row_list", bytes_from(o.row_list.get(), wide_index(p.rows) * int(sizeof(int))));
    if (!reads) return;
    const bool t = b_transposed(p.layout);
    apart("a", range_of("a", o.a.get(), o.row_list ? p.rows_of_a : p.rows, p.k, p.lda, 1, 0));
    apart("b", range_of("b", o.b.get(), t ? p.n : p.k, t ? p.k : p.n, p.ldb, p.groups, p.stride_b));
}

/// Refuses the first end that cannot be.
inline void check_ends(const int* ends, const grouped_gemm_problem& p) {
    for (int g = 0, before = 0; g < p.groups; before = ends[g++])
        require(ends[g] >= before && ends[g] <= p.rows, ("ends[" + std::to_string(g) + "]").c_str(), ends[g],
                "it must lie between " + std::to_string(before) + ", where the group before ends, and the " +
                    std::to_string(p.rows) + " rows");
}

/// Refuses the first of `rows` entries of a list that names a row which A has not.
inline void check_list(const int* list, const grouped_gemm_problem& p, int rows) {
    for (int i = 0; i < rows; ++i)
        require(list[i] >= 0 && list[i] < p.rows_of_a, ("row_list[" + std::to_string(i) + "]").c_str(),
                list[i], "A has " + std::to_string(p.rows_of_a) + " rows");
}

}  // namespace FADE_NAMESPACE::kernel

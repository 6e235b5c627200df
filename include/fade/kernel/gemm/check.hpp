// What a matrix multiplication refuses before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <limits>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Elements from the first to the last of `batch` matrices; an error where that is no number of bytes.
inline index span_of(const char* name, index rows, index columns, index ld, index batch, index stride,
                     int bytes) {
    const wide_index elements = wide_index(rows - 1) * ld + columns + wide_index(batch - 1) * stride;
    require(elements * bytes <= std::numeric_limits<index>::max(), name, rows,
            std::string("matrix ") + name + " must span fewer than 2^63 bytes");
    return index(elements);
}

struct matrix_extent {
    index rows, columns, ld, stride;
};

/// Fills in packed leading dimensions and strides, and checks what was given.
inline matrix_extent checked_matrix(const char* ld_name, const char* stride_name, index rows, index columns,
                                    index ld, index stride, index batch) {
    const index row = ld ? ld : columns;
    require(row >= columns, ld_name, ld,
            "a row of that matrix has " + std::to_string(columns) +
                " elements, so it must be at least that (or 0 for packed rows)");
    require(row <= (index(1) << 40), ld_name, ld, "it must be at most 2^40");
    require(stride >= -1, stride_name, stride,
            "it must be positive, 0 to repeat one matrix, or -1 for packed matrices");
    const bool packs = batch > 1 && stride < 0;
    require(!packs || wide_index(rows) * row <= std::numeric_limits<index>::max(), ld_name, row,
            "packed matrices of a batch must be fewer than 2^63 elements apart");
    return {rows, columns, row, batch <= 1 ? 0 : packs ? rows * row : stride};
}

/// Sizes of a problem that can be; strides and leading dimensions made explicit. D has n / joined columns.
inline gemm_problem checked(gemm_problem p, int joined = 1) {
    constexpr index max = index(1) << 31;
    require(p.m >= 0 && p.m < max, "m", p.m, "it must be between 0 and 2^31 - 1");
    require(p.n >= 0 && p.n < max, "n", p.n, "it must be between 0 and 2^31 - 1");
    require(p.k >= 0 && p.k < max, "k", p.k, "it must be between 0 and 2^31 - 1");
    require(p.batch >= 0 && p.batch <= 65535, "batch", p.batch, "it must be between 0 and 65535");
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    const matrix_extent a =
        checked_matrix("lda", "stride_a", ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.stride_a, p.batch);
    const matrix_extent b =
        checked_matrix("ldb", "stride_b", tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.stride_b, p.batch);
    const index columns = p.n / joined;
    const matrix_extent c = checked_matrix("ldc", "stride_c", p.m, columns, p.ldc, p.stride_c, p.batch);
    const matrix_extent d =
        checked_matrix("ldd", "stride_d", p.m, columns, p.ldd ? p.ldd : p.ldc, p.stride_d, p.batch);
    p.lda = a.ld, p.ldb = b.ld, p.ldc = c.ld, p.ldd = d.ld;
    p.stride_a = a.stride, p.stride_b = b.stride, p.stride_c = c.stride, p.stride_d = d.stride;
    require(p.batch <= 1 || p.m == 0 || p.n == 0 || p.stride_d != 0, "stride_d", p.stride_d,
            "0 repeats one matrix, but each product of a batch needs a D of its own (-1: packed)");
    require(p.batch <= 1 || p.stride_d >= wide_index(p.m - 1) * p.ldd + columns, "stride_d", p.stride_d,
            "the matrices of D may not overlap");  // with m = 0 no stride is too small
    return p;
}

template <class T>
byte_range range_of(const char* name, const T* p, index rows, index columns, index ld, index batch,
                    index stride) {
    if (rows == 0 || columns == 0 || batch == 0) return bytes_from(p, 0);
    return bytes_from(p, wide_index(span_of(name, rows, columns, ld, batch, stride, sizeof(T))) *
                             int(sizeof(T)));
}

/// Kernels of GPUs know the elements of a tile by 31-bit byte offsets from its first: `lines` rows of memory,
/// `ld` elements apart.
inline void check_reach_of(const char* ld_name, index lines, index ld, std::size_t bytes) {
    require(wide_index(lines) * ld * int(bytes) < wide_index(1) << 31, ld_name, ld,
            "the " + std::to_string(lines) +
                " rows that a tile touches must lie within 2 GiB on this device");
}

template <class In, class Out>
void check_reach(const gemm_problem& p, const tile_shape& tile) {
    const index rows = min_of<index>(p.m, tile.m), columns = min_of<index>(p.n, tile.n),
                depth = min_of<index>(tile.k, max_of<index>(p.k, 8));  // loads reach 8 k ahead
    check_reach_of("lda", a_transposed(p.layout) ? depth : rows, p.lda, sizeof(In));
    check_reach_of("ldb", b_transposed(p.layout) ? columns : depth, p.ldb, sizeof(In));
    check_reach_of(
        "ldd", rows, max_of(p.ldd, p.n),
        max_of(sizeof(Out), sizeof(accumulator_t<In>)));  // partial sums of a shared k have rows of n
}

/// Scalars that the type of the values can hold: where integers stay integers, alpha and beta are whole.
template <class Value>
void check_scalar(const char* name, double value) {
    const bool held = value >= double(std::numeric_limits<Value>::min()) &&
                      value <= double(std::numeric_limits<Value>::max());
    if (!held || double(Value(value)) != value)
        throw error(
            name, std::to_string(value),
            "integer products with an integer result and no floating stage are scaled by whole numbers "
            "of 32 bits only");
}
template <class Value>
void check_scalars(const gemm_problem& p) {
    if constexpr (std::is_integral_v<Value>)
        check_scalar<Value>("alpha", p.alpha), check_scalar<Value>("beta", p.beta);
}

/// A gate finds C nowhere: it would have the columns of the product, and D has half of them.
template <class Epilogue>
void check_gate(double beta) {
    if constexpr (epilogue::has_gate<Epilogue>)
        if (beta != 0)
            throw error("beta", std::to_string(beta),
                        "a gate (swiglu, geglu and their kin) makes D half as wide as the product, so there "
                        "is no C to add: it must be 0 (residual() before or behind the gate adds a matrix)");
}

/// Pointers that exist where they are read or written, and a D of n / joined columns that overlaps neither A
/// nor B, nor a part of C.
template <class In, class Out>
void check_operands(const gemm_problem& p, const gemm_operands<In, Out>& o, int joined = 1) {
    if (p.m == 0 || p.n == 0 || p.batch == 0) return;
    if (!o.d) throw error("d", "null", "the result of m x n elements needs memory");
    if (p.k > 0 && p.alpha != 0 && !o.a) throw error("a", "null", "with m, n and k above 0 it is read");
    if (p.k > 0 && p.alpha != 0 && !o.b) throw error("b", "null", "with m, n and k above 0 it is read");
    if (p.beta != 0 && !o.c) throw error("c", "null", "with beta other than 0 it is read");
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    const byte_range d = range_of("d", o.d.get(), p.m, p.n / joined, p.ldd, p.batch, p.stride_d);
    const byte_range a = range_of("a", o.a.get(), ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.batch, p.stride_a);
    const byte_range b = range_of("b", o.b.get(), tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.batch, p.stride_b);
    if (o.a && d.overlaps(a)) throw error("d", "overlapping a", "the result may not lie in an operand");
    if (o.b && d.overlaps(b)) throw error("d", "overlapping b", "the result may not lie in an operand");
    const bool same = static_cast<const void*>(o.c) == o.d.get() && p.ldc == p.ldd &&
                      (p.batch <= 1 || p.stride_c == p.stride_d);
    if (p.beta != 0 && !same && d.overlaps(range_of("c", o.c.get(), p.m, p.n, p.ldc, p.batch, p.stride_c)))
        throw error(
            "d", "overlapping c",
            "the result may be c itself, with the same leading dimension and stride, or lie elsewhere");
}

}  // namespace FADE_NAMESPACE::kernel

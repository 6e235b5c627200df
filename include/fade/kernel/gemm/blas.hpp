// A product as BLAS and mdspan say it, and the row-major problem that it is.
#pragma once
#include <fade/core/error.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <string>

namespace FADE_NAMESPACE::blas {

/// Element (i, j) lies at data[i * row_stride + j * column_stride]; one of the strides is 1.
template <class T>
struct matrix_view {
    using element_type = T;
    T* data;
    index rows, columns;
    index row_stride;     ///< elements from row to row
    index column_stride;  ///< from column to column
};

/// Columns one behind the other, `ld` elements apart, as BLAS and Fortran have them; 0: packed.
template <class T>
matrix_view<T> column_major(T* data, index rows, index columns, index ld = 0) {
    return {data, rows, columns, 1, ld ? ld : rows};
}
/// Rows one behind the other, as C and C++ have them.
template <class T>
matrix_view<T> row_major(T* data, index rows, index columns, index ld = 0) {
    return {data, rows, columns, ld ? ld : columns, 1};
}

/// What std::mdspan, Kokkos' and other views of two dimensions have.
template <class V>
concept mdspan_like = requires(const V& v) {
    typename V::element_type;
    static_cast<typename V::element_type*>(v.data_handle());
    static_cast<index>(v.extent(0)), static_cast<index>(v.stride(0));
};

template <class T>
matrix_view<T> view_of(const matrix_view<T>& v) {
    return v;
}
template <mdspan_like V>
matrix_view<typename V::element_type> view_of(const V& v) {
    static_assert(V::rank() == 2, "a matrix has two dimensions: give a view of rank 2");
    return {v.data_handle(), static_cast<index>(v.extent(0)), static_cast<index>(v.extent(1)),
            static_cast<index>(v.stride(0)), static_cast<index>(v.stride(1))};
}

/// The same elements with rows and columns exchanged.
template <class View>
auto transposed(const View& of) {
    const auto v = view_of(of);
    return matrix_view<typename decltype(v)::element_type>{v.data, v.columns, v.rows, v.column_stride,
                                                           v.row_stride};
}

namespace detail {

/// How the elements of a view lie: rows or columns of consecutive ones, so far apart.
struct lines {
    bool columns;  ///< of consecutive elements
    index apart;
};

template <class T>
lines lines_of(const char* name, const matrix_view<T>& v) {
    require(v.rows >= 0, (std::string("rows of ") + name).c_str(), v.rows, "it must not be negative");
    require(v.columns >= 0, (std::string("columns of ") + name).c_str(), v.columns,
            "it must not be negative");
    if (v.row_stride == 1 && (v.column_stride >= v.rows || v.columns <= 1))
        return {true, v.columns <= 1 ? max_of(v.column_stride, v.rows) : v.column_stride};
    if (v.column_stride == 1 && (v.row_stride >= v.columns || v.rows <= 1))
        return {false, v.rows <= 1 ? max_of(v.row_stride, v.columns) : v.row_stride};
    if (v.columns <= 1 && v.row_stride >= 1) return {false, v.row_stride};
    if (v.rows <= 1 && v.column_stride >= 1) return {true, v.column_stride};
    throw error(std::string("strides of ") + name,
                std::to_string(v.row_stride) + " and " + std::to_string(v.column_stride),
                "one of them must be 1, and the other at least the " + std::to_string(v.rows) + " rows or " +
                    std::to_string(v.columns) + " columns between which it leads");
}

/// What a call says of the row-major product, in the names of the product that was asked for.
inline std::string renamed(const std::string& words, bool swapped) {
    constexpr const char* names[][3] = {{"a", "a", "b"},       {"b", "b", "a"},      {"d", "c", "c"},
                                        {"m", "m", "n"},       {"n", "n", "m"},      {"lda", "lda", "ldb"},
                                        {"ldb", "ldb", "lda"}, {"ldd", "ldc", "ldc"}};
    const std::size_t last = words.rfind(' ') + 1;  // "overlapping a"
    for (const auto& name : names)
        if (words.substr(last) == name[0]) return words.substr(0, last) + name[swapped ? 2 : 1];
    return words;
}
template <class F>
auto with_names(bool swapped, const F& f) {
    try {
        return f();
    } catch (const error& e) {
        throw error(renamed(e.argument(), swapped), renamed(e.value(), swapped), e.rule());
    }
}

}  // namespace detail

/// A row-major problem, and whether it is the transpose of what was asked for: then its A is B.
struct row_major_problem {
    gemm_problem problem;
    bool swapped;
};

/// C = alpha A B + beta C of three views. Where C's columns lie in one piece, C^T = B^T A^T is made: memory
/// of columns is that of the transposed matrix' rows.
template <class A, class B, class C>
row_major_problem problem_of(double alpha, const matrix_view<A>& a, const matrix_view<B>& b, double beta,
                             const matrix_view<C>& c) {
    const detail::lines in_a = detail::lines_of("a", a), in_b = detail::lines_of("b", b),
                        in_c = detail::lines_of("c", c);
    require(b.rows == a.columns, "rows of b", b.rows,
            "a has " + std::to_string(a.columns) + " columns, and each is multiplied with a row of b");
    require(c.rows == a.rows, "rows of c", c.rows, "a has " + std::to_string(a.rows));
    require(c.columns == b.columns, "columns of c", c.columns, "b has " + std::to_string(b.columns));
    const bool swapped = in_c.columns;
    const detail::lines &left = swapped ? in_b : in_a, &right = swapped ? in_a : in_b;
    const bool turns_left = left.columns != swapped, turns_right = right.columns != swapped;
    using enum gemm_layout;
    return {{.m = swapped ? c.columns : c.rows,
             .n = swapped ? c.rows : c.columns,
             .k = a.columns,
             .layout = turns_left    ? (turns_right ? tt : tn)
                       : turns_right ? nt
                                     : nn,
             .alpha = alpha,
             .beta = beta,
             .lda = left.apart,
             .ldb = right.apart,
             .ldc = in_c.apart,
             .ldd = in_c.apart},
            swapped};
}

/// op(X) of a column-major matrix whose op(X) is rows x columns: 'n' the matrix itself, 't' and 'c' (numbers
/// are real) its transpose.
template <class T>
matrix_view<T> operand(const char* name, char op, T* data, index rows, index columns, const char* ld_name,
                       index ld) {
    const bool plain = op == 'n' || op == 'N', transposes = op == 't' || op == 'T' || op == 'c' || op == 'C';
    if (!plain && !transposes)
        throw error(std::string("op of ") + name, std::string("'") + op + "'",
                    "it is 'n' for the matrix, or 't' or 'c' for its transpose");
    const index height = plain ? rows : columns;
    require(ld >= max_of<index>(height, 1), ld_name, ld,
            std::string("a column of ") + name + " has " + std::to_string(height) +
                " elements, so it must be at least that, and 1");
    return plain ? matrix_view<T>{data, rows, columns, 1, ld} : matrix_view<T>{data, rows, columns, ld, 1};
}

}  // namespace FADE_NAMESPACE::blas

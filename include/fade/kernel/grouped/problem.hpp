// What a grouped matrix multiplication is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/kernel/gemm/problem.hpp>

namespace FADE_NAMESPACE {

/// D = epilogue(alpha * A op(B[g]) + beta * C) for the rows of each group g, whose B is its own.
/// Group g has the rows from the end of the group before it to ends[g], which stand in the device's memory:
/// the call needs no number of them. Sizes, leading dimensions and strides count elements; a leading
/// dimension of 0 means packed rows, a stride of -1 packed matrices. The layout is nn (B is k x n) or nt
/// (n x k).
struct grouped_gemm_problem {
    index rows = 0;                        ///< of D, of all groups: as many as ends may say
    index n = 0;                           ///< columns of D
    index k = 0;                           ///< what is summed over
    int groups = 0;                        ///< matrices B
    gemm_layout layout = gemm_layout::nt;  ///< how B lies: nn or nt
    double alpha = 1;                      ///< factor of the product
    double beta = 0;                       ///< factor of C; with 0 it is not read
    index rows_of_a = 0;  ///< rows that A has, where a list names them; else A has those of D
    index lda = 0;        ///< of A, from row to row
    index ldb = 0;        ///< of each B
    index ldc = 0;        ///< of C
    index ldd = 0;        ///< of D
    index stride_b = -1;  ///< from B to B
};

/// The memory of a grouped product. Rows of D behind the last group's end are not written.
template <class In, class Out = In>
struct grouped_gemm_operands {
    element_pointer<const In> a{};      ///< rows x k, or rows_of_a x k where a list names them
    element_pointer<const In> b{};      ///< a matrix a group
    element_pointer<const Out> c{};     ///< rows x n; not read where beta is 0
    element_pointer<Out> d{};           ///< rows x n; it may be C
    element_pointer<const int> ends{};  ///< a row a group: the one behind the group's last; they may not fall
    element_pointer<const int> row_list{};  ///< of each row of D the row of A; null: the same
};

}  // namespace FADE_NAMESPACE

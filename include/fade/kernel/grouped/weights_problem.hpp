// What a grouped product with quantised weights is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/weights/number.hpp>

namespace FADE_NAMESPACE {

/// D = epilogue(alpha * A W[g] + beta * C) for the rows of each group g, whose W, k x n, is its own and
/// stored as a weight_format says. Group g has the rows from the end of the group before it to ends[g], as of
/// grouped_gemm_problem. Sizes and leading dimensions count elements; a leading dimension of 0 means packed
/// rows.
struct grouped_weight_gemm_problem {
    index rows = 0;       ///< of D, of all groups: as many as ends may say
    index n = 0;          ///< columns of D, a multiple of 8 of gptq and awq
    index k = 0;          ///< what is summed over: a multiple of 32 and of the k that share a scale
    int groups = 0;       ///< matrices W
    double alpha = 1;     ///< factor of the product
    double beta = 0;      ///< factor of C; with 0 it is not read
    index rows_of_a = 0;  ///< rows that A has, where a list names them; else A has those of D
    index lda = 0;        ///< of A, from row to row: a multiple of 8
    index ldc = 0;        ///< of C
    index ldd = 0;        ///< of D
    index group = 0;      ///< k that share a scale, as weight_gemm_problem::group
};

/// The memory of such a product. Words, scales and zero points of the groups lie one group behind the other,
/// each as of weight_gemm(). Rows of D behind the last group's end are not written.
template <weight_format Format, class In, class Out = In>
struct grouped_weight_gemm_operands {
    element_pointer<const In> a{};  ///< rows x k, or rows_of_a x k of a list; in aligned runs of 16 bytes
    const void* weights = nullptr;  ///< groups times W in the order of the format, aligned likewise
    element_pointer<const weight_scale_t<Format>> scales{};  ///< likewise
    const void* zeros = nullptr;                             ///< likewise; not read where the format has none
    element_pointer<const Out> c{};                          ///< rows x n; not read where beta is 0
    element_pointer<Out> d{};                                ///< rows x n; it may be C
    element_pointer<const int> ends{};  ///< a row a group: the one behind the group's last; they may not fall
    element_pointer<const int> row_list{};  ///< of each row of D the row of A; null: the same
};

}  // namespace FADE_NAMESPACE

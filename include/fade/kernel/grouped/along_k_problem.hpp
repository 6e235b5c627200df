// What a product of groups along k is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// D[g](i, j) = epilogue(alpha * sum over the rows r of group g of A(r, i) * B(r, j) + beta * C[g](i, j)):
/// gradients of the weights of experts.
/// Group g has the rows from the end of the group before it to ends[g], which stand in the device's memory.
/// Sizes, leading dimensions and strides count elements; a leading dimension of 0 means packed rows, a stride
/// of -1 packed matrices.
struct grouped_k_gemm_problem {
    index m = 0;          ///< columns of A, rows of each D
    index n = 0;          ///< columns of B and D
    index k = 0;          ///< rows of A and B, of all groups: as many as ends may say
    int groups = 0;       ///< matrices D
    double alpha = 1;     ///< factor of the product
    double beta = 0;      ///< factor of C; with 0 it is not read
    index lda = 0;        ///< of A, from row to row
    index ldb = 0;        ///< of B
    index ldc = 0;        ///< of each C
    index ldd = 0;        ///< of each D
    index stride_c = -1;  ///< from C to C; 0: one for all
    index stride_d = -1;  ///< from D to D
};

/// The memory of such a product. The D of a group without rows is what the epilogue makes of beta * C.
template <class In, class Out = In>
struct grouped_k_gemm_operands {
    element_pointer<const In> a{};      ///< k x m
    element_pointer<const In> b{};      ///< k x n
    element_pointer<const Out> c{};     ///< m x n a group; not read where beta is 0
    element_pointer<Out> d{};           ///< m x n a group; it may be C
    element_pointer<const int> ends{};  ///< a row a group: the one behind the group's last; they may not fall
};

}  // namespace FADE_NAMESPACE

// What a product with quantised weights is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/weights/number.hpp>

namespace FADE_NAMESPACE {

/// D = epilogue(alpha * A W + beta * C), where W, k x n, is stored as a weight_format says.
/// Sizes and leading dimensions count elements; a leading dimension of 0 means packed rows. Words of W, its
/// scales and its zero points are packed.
struct weight_gemm_problem {
    index m = 0;       ///< rows of D
    index n = 0;       ///< columns of D, a multiple of 8 of gptq and awq
    index k = 0;       ///< what is summed over: a multiple of the group and of 32
    double alpha = 1;  ///< factor of the product
    double beta = 0;   ///< factor of C; with 0 it is not read
    index lda = 0;     ///< of A, from row to row: a multiple of 8
    index ldc = 0;     ///< of C
    index ldd = 0;     ///< of D
    /// Consecutive k that share a scale, of a format with weights::any_group: a power of two, at least 16, or
    /// -1: all of k. Of other formats 0, or what the format says.
    index group = 0;
};

/// The memory of such a product.
template <weight_format Format, class In, class Out = In>
struct weight_gemm_operands {
    element_pointer<const In> a{};                           ///< m x k, in aligned runs of 16 bytes
    const void* weights = nullptr;                           ///< in the order of the format, aligned likewise
    element_pointer<const weight_scale_t<Format>> scales{};  ///< one a group and column, aligned likewise
    const void* zeros = nullptr;                             ///< likewise; not read where the format has none
    element_pointer<const Out> c{};                          ///< m x n; not read where beta is 0
    element_pointer<Out> d{};                                ///< m x n; it may be C
};

}  // namespace FADE_NAMESPACE

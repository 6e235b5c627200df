// What a product of operands with scales of their parts is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/kernel/gemm/problem.hpp>

namespace FADE_NAMESPACE {

/// Consecutive k that share a scale, as DeepSeek-V3 has them (arXiv 2412.19437, section 3.3.2).
inline constexpr int scale_depth = 128;

/// D = epilogue(sum over parts s of k of scale_a(i, s) * scale_b(s, j) * sum of A(i, p) B(p, j) in s).
/// A part is `scale_depth` k; the last may have less. Sizes, leading dimensions and strides count elements; a
/// leading dimension of 0 means packed rows.
struct scaled_gemm_problem {
    index m = 0;                           ///< rows of D
    index n = 0;                           ///< columns of D
    index k = 0;                           ///< what is summed over
    gemm_layout layout = gemm_layout::nt;  ///< how A and B lie in memory
    index lda = 0;                         ///< of A, from row to row
    index ldb = 0;                         ///< of B
    index ldd = 0;                         ///< of D
    index rows_per_scale = 1;              ///< rows of A that share scales: a power of two (activations: 1)
    index columns_per_scale = 128;         ///< columns of B that share scales: a power of two (weights: 128)
    index scale_a_row =
        0;  ///< from the scale of some rows to that of the next rows; 0: the parts of k, packed
    index scale_a_k =
        1;  ///< from the scale of a part of k to the next; with scale_a_row = 1 this is the pitch
    index scale_b_column = 0;  ///< the same of columns of B
    index scale_b_k = 1;       ///< and of its parts of k
};

/// Its memory. A scale is read for each part of k and each group of rows of A, or of columns of B.
template <class In, class Out>
struct scaled_gemm_operands {
    element_pointer<const In> a{};           ///< A, as the layout says
    element_pointer<const In> b{};           ///< B, as the layout says
    element_pointer<Out> d{};                ///< m x n
    element_pointer<const float> scale_a{};  ///< ceil(m / rows_per_scale) x ceil(k / 128), by its two strides
    element_pointer<const float> scale_b{};  ///< ceil(n / columns_per_scale) x ceil(k / 128)
};

}  // namespace FADE_NAMESPACE

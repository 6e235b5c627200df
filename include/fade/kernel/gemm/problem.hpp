// What a matrix multiplication is asked to do.
#pragma once
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/operand_pair.hpp>

namespace FADE_NAMESPACE {

/// How A and B lie in memory: n as written (A m x k, B k x n), t transposed (A k x m, B n x k); all
/// row-major.
enum class gemm_layout { nn, nt, tn, tt };

/// Is A stored as k x m?
constexpr bool a_transposed(gemm_layout l) { return l == gemm_layout::tn || l == gemm_layout::tt; }
/// Is B stored as n x k?
constexpr bool b_transposed(gemm_layout l) { return l == gemm_layout::nt || l == gemm_layout::tt; }

/// Its two letters.
constexpr const char* name(gemm_layout l) {
    constexpr const char* names[] = {"nn", "nt", "tn", "tt"};
    return names[int(l)];
}

/// The name is gemm_layout. This one does not compile, and says so.
struct layout {
    struct other_name {
        template <class T>
        constexpr operator T() const {
            static_assert(sizeof(T) == 0, "the layouts of gemm are fade::gemm_layout::nn, nt, tn and tt, not "
                                          "fade::layout's");
            return T();
        }
    };
    static constexpr other_name nn{};  ///< does not compile
    static constexpr other_name nt{};  ///< does not compile
    static constexpr other_name tn{};  ///< does not compile
    static constexpr other_name tt{};  ///< does not compile
};

/// D = epilogue(alpha * op(A) op(B) + beta * C), `batch` times.
/// Sizes, leading dimensions and strides count elements. A leading dimension of 0 means packed rows. A stride
/// of -1 means packed matrices; one of 0 repeats a matrix for the whole batch, which D's may not. With beta =
/// 0 C is not read. D may be C; it may overlap nothing else.
struct gemm_problem {
    index m = 0;                           ///< rows of D
    index n = 0;                           ///< columns of D
    index k = 0;                           ///< what is summed over
    gemm_layout layout = gemm_layout::nn;  ///< how A and B lie in memory
    index batch = 1;                       ///< products
    double alpha = 1;                      ///< factor of the product
    double beta = 0;                       ///< factor of C
    index lda = 0;                         ///< of A, from row to row
    index ldb = 0;                         ///< of B
    index ldc = 0;                         ///< of C
    index ldd = 0;                         ///< of D
    index stride_a = -1;                   ///< from matrix to matrix of A
    index stride_b = -1;                   ///< of B
    index stride_c = -1;                   ///< of C
    index stride_d = -1;                   ///< of D
};

/// The matrices of a problem, in memory that the device can read and write.
template <class In, class Out = In>
struct gemm_operands {
    element_pointer<const element_of_a<In>> a{};  ///< A, as the layout says
    element_pointer<const element_of_b<In>> b{};  ///< B, as the layout says
    element_pointer<const Out> c{};               ///< m x n; not read where beta is 0
    element_pointer<Out> d{};                     ///< m x n
};

}  // namespace FADE_NAMESPACE

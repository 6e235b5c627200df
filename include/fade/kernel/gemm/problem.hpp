// What a matrix multiplication is asked to do.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/element_pointer.hpp>

namespace FADE_NAMESPACE {

/// How A and B lie in memory: n as written (A m x k, B k x n), t transposed (A k x m, B n x k); all
/// row-major.
enum class gemm_layout { nn, nt, tn, tt };

constexpr bool a_transposed(gemm_layout l) { return l == gemm_layout::tn || l == gemm_layout::tt; }
constexpr bool b_transposed(gemm_layout l) { return l == gemm_layout::nt || l == gemm_layout::tt; }

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
    static constexpr other_name nn{}, nt{}, tn{}, tt{};
};

/// D = epilogue(alpha * op(A) op(B) + beta * C), `batch` times.
/// Sizes, leading dimensions and strides count elements. A leading dimension of 0 means packed rows. A stride
/// of -1 means packed matrices; one of 0 repeats a matrix for the whole batch, which D's may not. With beta =
/// 0 C is not read. D may be C; it may overlap nothing else.
struct gemm_problem {
    index m = 0, n = 0, k = 0;
    gemm_layout layout = gemm_layout::nn;
    index batch = 1;
    double alpha = 1, beta = 0;
    index lda = 0, ldb = 0, ldc = 0, ldd = 0;
    index stride_a = -1, stride_b = -1, stride_c = -1, stride_d = -1;
};

/// The matrices of a problem, in memory that the device can read and write.
template <class In, class Out = In>
struct gemm_operands {
    element_pointer<const In> a{}, b{};
    element_pointer<const Out> c{};
    element_pointer<Out> d{};
};

}  // namespace FADE_NAMESPACE

// Products in the words of BLAS: column-major matrices, and views that say how far rows and columns are
// apart.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/gemm.hpp>
#include <fade/kernel/gemm/blas.hpp>

namespace FADE_NAMESPACE::blas {

/// C = alpha A B + beta C, and what ran: gemm() of views, each a matrix_view (column_major, row_major,
/// transposed) or like std::mdspan; one of a view's strides is 1.
/// A and B have elements of one type that `device` multiplies; C's may be of another, and C overlaps neither
/// A nor B. With beta = 0 C is not read. The memory is the device's, and work is queued as by gemm(). Throws
/// fade::error, with nothing written, for extents that do not fit each other, for strides, and for what
/// gemm() refuses, in the names a, b and c.
template <gemm_kernels Kernels = all_accesses, class Device, class A, class B, class C>
report gemm(Device&& device, double alpha, const A& a, const B& b, double beta, const C& c,
            const gemm_options& options = {}) {
    const auto va = view_of(a);
    const auto vb = view_of(b);
    const auto vc = view_of(c);
    using in = std::remove_const_t<typename decltype(va)::element_type>;
    using out = typename decltype(vc)::element_type;
    static_assert(std::is_same_v<in, std::remove_const_t<typename decltype(vb)::element_type>>,
                  "A and B of a product have elements of one type");
    static_assert(!std::is_const_v<out>, "C is written: give it memory that may be written");
    const row_major_problem p = problem_of(alpha, va, vb, beta, vc);
    const gemm_operands<in, out> o{
        .a = p.swapped ? vb.data : va.data, .b = p.swapped ? va.data : vb.data, .c = vc.data, .d = vc.data};
    return detail::with_names(p.swapped, [&] {
        return fade::gemm<in, out, Kernels>(device, p.problem, o, epilogue::none{}, options);
    });
}

/// C = alpha op_a(A) op_b(B) + beta C of column-major matrices, with the arguments of BLAS in their order.
/// op_a(A) is m x k, op_b(B) k x n, C m x n; 'n' takes a matrix as it is, 't' and 'c' its transpose. Leading
/// dimensions are elements from column to column, and not 0. Otherwise as gemm() of views.
template <gemm_kernels Kernels = all_accesses, class T, class Device>
report gemm(Device&& device, char op_a, char op_b, index m, index n, index k, double alpha, const T* a,
            index lda, const T* b, index ldb, double beta, T* c, index ldc,
            const gemm_options& options = {}) {
    return blas::gemm<Kernels>(device, alpha, operand("a", op_a, a, m, k, "lda", lda),
                               operand("b", op_b, b, k, n, "ldb", ldb), beta,
                               operand("c", 'n', c, m, n, "ldc", ldc), options);
}

/// The same of f32.
template <gemm_kernels Kernels = all_accesses, class Device>
report sgemm(Device&& device, char op_a, char op_b, index m, index n, index k, float alpha, const float* a,
             index lda, const float* b, index ldb, float beta, float* c, index ldc,
             const gemm_options& options = {}) {
    return blas::gemm<Kernels>(device, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}
/// The same of f64.
template <gemm_kernels Kernels = all_accesses, class Device>
report dgemm(Device&& device, char op_a, char op_b, index m, index n, index k, double alpha, const double* a,
             index lda, const double* b, index ldb, double beta, double* c, index ldc,
             const gemm_options& options = {}) {
    return blas::gemm<Kernels>(device, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}
/// The same of f16; sums, alpha and beta are f32.
template <gemm_kernels Kernels = all_accesses, class Device>
report hgemm(Device&& device, char op_a, char op_b, index m, index n, index k, float alpha, const f16* a,
             index lda, const f16* b, index ldb, float beta, f16* c, index ldc,
             const gemm_options& options = {}) {
    return blas::gemm<Kernels>(device, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}
/// The same of bf16; sums, alpha and beta are f32.
template <gemm_kernels Kernels = all_accesses, class Device>
report bgemm(Device&& device, char op_a, char op_b, index m, index n, index k, float alpha, const bf16* a,
             index lda, const bf16* b, index ldb, float beta, bf16* c, index ldc,
             const gemm_options& options = {}) {
    return blas::gemm<Kernels>(device, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}

}  // namespace FADE_NAMESPACE::blas

#include <fade/core/quiet_end.inc>

// cuBLAS on NVIDIA GPUs.
#include "../../common/refusal.hpp"
#include "../gemm/call.hpp"
#include "../gemm/layout.hpp"
#include "../peer_maker.hpp"
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <memory>

namespace fade::bench {
namespace {

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw tools::refusal(std::string("--vs is cublas, which says ") + cublasGetStatusString(status) +
                             ".");
}

cudaDataType_t type_of(fade::dtype t) {
    return t == fade::dtype::f32 ? CUDA_R_32F : t == fade::dtype::f16 ? CUDA_R_16F : CUDA_R_16BF;
}

cublasOperation_t transposed(bool yes) { return yes ? CUBLAS_OP_T : CUBLAS_OP_N; }

struct handle {
    cublasHandle_t held;
    handle() { check(cublasCreate(&held)); }
    handle(const handle&) = delete;
    ~handle() { cublasDestroy(held); }
};

/// cuBLAS counts columns first: its product of B and A is ours of A and B.
void multiply(const handle& blas, const gemm_call& call, const element& e) {
    const gemm_problem& p = call.problem;
    const index rows_a = turned_a(p.layout) ? p.k : p.m, rows_b = turned_b(p.layout) ? p.n : p.k;
    const float alpha = float(p.alpha), beta = 0;
    const cudaDataType_t in = type_of(e.type);
    check(cublasGemmStridedBatchedEx_64(
        blas.held, transposed(turned_b(p.layout)), transposed(turned_a(p.layout)), p.n, p.m, p.k, &alpha,
        call.b, in, p.ldb, rows_b * p.ldb, call.a, in, p.lda, rows_a * p.lda, &beta, call.d,
        type_of(call.out), p.ldc, p.m * p.ldc, p.batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace

extern "C" void fade_bench_gemm_cublas(measured& out, const std::vector<gemm_call>& calls, const element& e) {
    const auto blas = std::make_shared<handle>();
    const auto turn = std::make_shared<in_turn<gemm_call>>(calls);
    out = {[blas, turn, &e] { multiply(*blas, turn->next(), e); }, [] { cudaStreamSynchronize(nullptr); }};
}

}  // namespace fade::bench

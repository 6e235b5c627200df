// cublasLt on NVIDIA GPUs: the fastest of the kernels that its heuristics name first.
#include "../../common/refusal.hpp"
#include "../gemm/call.hpp"
#include "../gemm/layout.hpp"
#include "../peer_maker.hpp"
#include <algorithm>
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <memory>

namespace fade::bench {
namespace {

constexpr int most_kernels = 8, runs_of_each = 5;
constexpr std::size_t workspace_bytes = std::size_t(64) << 20;

[[noreturn]] void refuse(const std::string& why) {
    throw tools::refusal("--vs is cublaslt, which says " + why + ".");
}
void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) refuse(cublasGetStatusString(status));
}
void check(cudaError_t status) {
    if (status != cudaSuccess) refuse(cudaGetErrorString(status));
}

cudaDataType_t type_of(fade::dtype t) {
    using enum fade::dtype;
    switch (t) {
    case f64:
        return CUDA_R_64F;
    case f32:
        return CUDA_R_32F;
    case f16:
        return CUDA_R_16F;
    case bf16:
        return CUDA_R_16BF;
    case i8:
        return CUDA_R_8I;
    case i32:
        return CUDA_R_32I;
    case f8e4m3:
        return CUDA_R_8F_E4M3;
    default:
        return CUDA_R_8F_E5M2;
    }
}

/// Matrices of which a batch has several, and how they lie. cublasLt counts columns first.
struct layout_of {
    cublasLtMatrixLayout_t held;
    layout_of(cudaDataType_t type, index rows, index columns, index ld, index batch, index stride) {
        const std::int32_t count = std::int32_t(batch);
        check(cublasLtMatrixLayoutCreate(&held, type, std::uint64_t(rows), std::uint64_t(columns), ld));
        check(
            cublasLtMatrixLayoutSetAttribute(held, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
        check(cublasLtMatrixLayoutSetAttribute(held, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                               sizeof stride));
    }
    layout_of(const layout_of&) = delete;
    ~layout_of() { cublasLtMatrixLayoutDestroy(held); }
};

/// One problem: its product of B and A is ours of A and B.
class product {
public:
    product(const gemm_call& call, const element& e)
        : whole_(e.type == fade::dtype::i8), wide_(e.type == fade::dtype::f64), alpha_(call.problem.alpha),
          first_(layout_of_matrix(call, e, true)), second_(layout_of_matrix(call, e, false)),
          result_(type_of(call.out), call.problem.n, call.problem.m, call.problem.ldc, call.problem.batch,
                  call.problem.m * call.problem.ldc) {
        check(cublasLtCreate(&handle_));
        check(cudaMalloc(&workspace_, workspace_bytes));
        const cublasComputeType_t in = whole_  ? CUBLAS_COMPUTE_32I
                                       : wide_ ? CUBLAS_COMPUTE_64F
                                               : CUBLAS_COMPUTE_32F;
        check(cublasLtMatmulDescCreate(&what_, in, whole_ ? CUDA_R_32I : wide_ ? CUDA_R_64F : CUDA_R_32F));
        set_transposed(CUBLASLT_MATMUL_DESC_TRANSA, turned_b(call.problem.layout));
        set_transposed(CUBLASLT_MATMUL_DESC_TRANSB, turned_a(call.problem.layout));
        ask();
    }
    product(const product&) = delete;
    ~product() { cublasLtMatmulDescDestroy(what_), cublasLtDestroy(handle_), cudaFree(workspace_); }

    void run(const gemm_call& call) { check(run(call, kernels_[fastest_])); }

    /// Times what the heuristics named, and keeps the fastest.
    void choose(const gemm_call& call) {
        cudaEvent_t begin, end;
        check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
        float least = 0;
        std::size_t found = kernels_.size();
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            if (run(call, kernels_[i]) != CUBLAS_STATUS_SUCCESS) continue;
            check(cudaEventRecord(begin));
            for (int j = 0; j < runs_of_each; ++j) check(run(call, kernels_[i]));
            check(cudaEventRecord(end)), check(cudaEventSynchronize(end));
            float time = 0;
            check(cudaEventElapsedTime(&time, begin, end));
            if (found == kernels_.size() || time < least) found = i, least = time;
        }
        cudaEventDestroy(begin), cudaEventDestroy(end);
        if (found == kernels_.size()) refuse("that none of its kernels runs this product");
        fastest_ = found;
    }

private:
    /// Of B, which it takes first, or of A.
    static layout_of layout_of_matrix(const gemm_call& call, const element& e, bool b) {
        const gemm_problem& p = call.problem;
        const bool turned = b ? turned_b(p.layout) : turned_a(p.layout);
        const index rows = b ? p.k : p.m, columns = b ? p.n : p.k, ld = b ? p.ldb : p.lda;
        const index lines = turned ? columns : rows, of_a_line = turned ? rows : columns;
        return {type_of(e.type), of_a_line, lines, ld, p.batch, lines * ld};
    }
    void set_transposed(cublasLtMatmulDescAttributes_t which, bool yes) {
        const cublasOperation_t is = yes ? CUBLAS_OP_T : CUBLAS_OP_N;
        check(cublasLtMatmulDescSetAttribute(what_, which, &is, sizeof is));
    }
    void ask() {
        cublasLtMatmulPreference_t wanted;
        check(cublasLtMatmulPreferenceCreate(&wanted));
        const std::size_t bytes = workspace_bytes;
        check(cublasLtMatmulPreferenceSetAttribute(wanted, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                                   sizeof bytes));
        cublasLtMatmulHeuristicResult_t named[most_kernels];
        int count = 0;
        const cublasStatus_t status =
            cublasLtMatmulAlgoGetHeuristic(handle_, what_, first_.held, second_.held, result_.held,
                                           result_.held, wanted, most_kernels, named, &count);
        cublasLtMatmulPreferenceDestroy(wanted);
        check(status);
        for (int i = 0; i < count; ++i) kernels_.push_back(named[i].algo);
    }
    cublasStatus_t run(const gemm_call& call, const cublasLtMatmulAlgo_t& kernel) const {
        const float alpha = float(alpha_), beta = 0;
        const double wide_alpha = alpha_, wide_beta = 0;
        const std::int32_t whole_alpha = std::int32_t(alpha_), whole_beta = 0;
        const void* factor = whole_  ? static_cast<const void*>(&whole_alpha)
                             : wide_ ? static_cast<const void*>(&wide_alpha)
                                     : &alpha;
        const void* of_c = whole_  ? static_cast<const void*>(&whole_beta)
                           : wide_ ? static_cast<const void*>(&wide_beta)
                                   : &beta;
        return cublasLtMatmul(handle_, what_, factor, call.b, first_.held, call.a, second_.held, of_c, call.d,
                              result_.held, call.d, result_.held, &kernel, workspace_, workspace_bytes,
                              nullptr);
    }

    bool whole_, wide_;
    double alpha_;
    layout_of first_, second_, result_;
    cublasLtHandle_t handle_ = nullptr;
    cublasLtMatmulDesc_t what_ = nullptr;
    void* workspace_ = nullptr;
    std::vector<cublasLtMatmulAlgo_t> kernels_;
    std::size_t fastest_ = 0;
};

}  // namespace

extern "C" void fade_bench_gemm_cublaslt(measured& out, const std::vector<gemm_call>& calls,
                                         const element& e) {
    const auto one = std::make_shared<product>(calls.front(), e);
    one->choose(calls.front());
    const auto turn = std::make_shared<in_turn<gemm_call>>(calls);
    out = {[one, turn] { one->run(turn->next()); }, [] { cudaStreamSynchronize(nullptr); }};
}

}  // namespace fade::bench

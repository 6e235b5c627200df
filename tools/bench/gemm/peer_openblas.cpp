// OpenBLAS on the host.
#if FADE_PEER_OPENBLAS
#include <cblas.h>
#include <algorithm>
#include <limits>
#include "../../common/refusal.hpp"
#include "peer.hpp"

namespace fade::bench {
namespace {

void check_sizes(const gemm_problem& p) {
    constexpr index most = std::numeric_limits<blasint>::max();
    if (std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) > most)
        throw tools::refusal("--vs is openblas, whose sizes are at most " + std::to_string(most) + ".");
}

CBLAS_TRANSPOSE transposed(bool yes) { return yes ? CblasTrans : CblasNoTrans; }
blasint row(index given) { return blasint(std::max<index>(given, 1)); }

void multiply(const gemm_call& call) {
    const gemm_problem& p = call.problem;
    const index rows_a = a_transposed(p.layout) ? p.k : p.m, rows_b = b_transposed(p.layout) ? p.n : p.k;
    for (index i = 0; i < p.batch; ++i)
        cblas_sgemm(CblasRowMajor, transposed(a_transposed(p.layout)), transposed(b_transposed(p.layout)), blasint(p.m), blasint(p.n), blasint(p.k),
                    float(p.alpha), static_cast<const float*>(call.a) + i * rows_a * p.lda, row(p.lda),
                    static_cast<const float*>(call.b) + i * rows_b * p.ldb, row(p.ldb), 0, static_cast<float*>(call.d) + i * p.m * p.ldc, row(p.ldc));
}

measured prepare(const gemm_call& call, const element&) {
    check_sizes(call.problem);
    return {[call] { multiply(call); }, [] {}};
}

const add_peer<gemm_call> added({"openblas", "host", {fade::dtype::f32}, prepare});

}  // namespace
}  // namespace fade::bench
#endif

// OpenBLAS on the host.
#include "../../common/refusal.hpp"
#include "../gemm/call.hpp"
#include "../gemm/layout.hpp"
#include "../peer_maker.hpp"
#include <algorithm>
#include <cblas.h>
#include <limits>

namespace fade::bench {
namespace {

void check_sizes(const gemm_problem& p) {
    constexpr index max = std::numeric_limits<blasint>::max();
    if (std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) > max)
        throw tools::refusal("--vs is openblas, whose sizes are at most " + std::to_string(max) + ".");
}

CBLAS_TRANSPOSE transposed(bool yes) { return yes ? CblasTrans : CblasNoTrans; }
blasint row(index given) { return blasint(std::max<index>(given, 1)); }

void multiply(const gemm_call& call) {
    const gemm_problem& p = call.problem;
    const index rows_a = turned_a(p.layout) ? p.k : p.m, rows_b = turned_b(p.layout) ? p.n : p.k;
    for (index i = 0; i < p.batch; ++i)
        cblas_sgemm(CblasRowMajor, transposed(turned_a(p.layout)), transposed(turned_b(p.layout)),
                    blasint(p.m), blasint(p.n), blasint(p.k), float(p.alpha),
                    static_cast<const float*>(call.a) + i * rows_a * p.lda, row(p.lda),
                    static_cast<const float*>(call.b) + i * rows_b * p.ldb, row(p.ldb), 0,
                    static_cast<float*>(call.d) + i * p.m * p.ldc, row(p.ldc));
}

}  // namespace

extern "C" void fade_bench_gemm_openblas(measured& out, const std::vector<gemm_call>& calls, const element&) {
    check_sizes(calls[0].problem);
    const auto turn = std::make_shared<in_turn<gemm_call>>(calls);
    out = {[turn] { multiply(turn->next()); }, [] {}};
}

}  // namespace fade::bench

#include "tune/run.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include "tune/json_lines.hpp"
#include "tune/random_product.hpp"
#include <csignal>
#include <fade/gemm.hpp>
#include <fade/tune.hpp>

namespace fade::tools {

namespace {
using clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

/// Does a row decide this product already?
bool is_known(const tuning_database& rows, host_device& device, const gemm_problem& p,
              const gemm_operands<float>& operands) {
    return plan_gemm<float>(device, p, operands, {}, {.tuned = &rows}).report.evidence.starts_with("tuned: ");
}

}  // namespace

void tune_list(const std::vector<gemm_problem>& list, const std::string& database, int threads,
               std::chrono::duration<double> budget) {
    const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(budget);
    tuning_database rows({database, {}});
    if (!rows.refused_writes().empty()) throw refusal(rows.refused_writes() + ".");
    host_device device(threads);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::size_t left = list.size();
    for (const gemm_problem& p : list) {
        if (interrupted || clock::now() >= end) break;
        // Operands are allocated where they are wanted, so that a long list needs no more than its largest.
        random_product product(p);
        const gemm_operands<float> operands = product.operands();
        const auto share = std::chrono::duration<double>(end - clock::now()) / double(left--);
        if (share.count() <= 0) break;
        if (is_known(rows, device, p, operands)) continue;
        const tuning found = tune_gemm<float>(device, p, operands, rows, share);
        write_output(line_of(found) + "\n");
    }
}

}  // namespace fade::tools

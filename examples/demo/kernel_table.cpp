#include "kernel_table.hpp"

#include <cstdio>

namespace demo {

void kernel_table::print() const {
    const bool peer = !rows_.empty() && rows_.front().peer_seconds > 0 && have_peer();
    std::printf("  %-19s %-42s %-43s %9s", "", "problem", "kernel", "GFLOP/s");
    std::printf(peer ? " %9s %6s\n" : "\n", "OpenBLAS", "ratio");
    for (const row& r : rows_) {
        const double gflop = 2e-9 * double(r.size.m) * double(r.size.n) * double(r.size.k);
        const std::string problem = r.report.requested.substr(r.report.requested.find(' ') + 1);
        const auto comma = problem.find(", epilogue");
        std::printf("  %-19s %-42s %-43s %9.1f", r.what.c_str(), problem.substr(0, comma).c_str(),
                    r.report.chosen.c_str(), gflop / r.seconds);
        if (peer) std::printf(" %9.1f %6.2f", gflop / r.peer_seconds, r.peer_seconds / r.seconds);
        std::printf("  %s\n", comma == std::string::npos ? "" : problem.substr(comma + 11).c_str());
    }
    if (peer)
        std::printf("  OpenBLAS: cblas_sgemm (f32), the product alone; ratio: its time / FADE's, so above 1 "
                    "FADE is faster.\n");
}

}  // namespace demo

#include <cstdio>
#include "../list.hpp"
#include "gemm.hpp"
#include "peer.hpp"

namespace fade::bench {
namespace {

/// Chains that GPU devices hold beside none; empty where this program has no GPU code.
std::vector<std::string> gpu_chains() {
    for (const auto& r : runners<gemm_runner>())
        if (auto c = r->chains(); !c.empty()) return c;
    return {};
}

}  // namespace

void print_gemm_list() {
    std::puts("gemm");
    print_held(keys_of_runners<gemm_runner>(), names_of_peers<gemm_call>());
    print_line("layouts", {"nn", "nt", "tn", "tt"});
    std::puts("  epilogues");
    std::printf("    host and emulated devices: none, %s, and any other sequence of up to 8 stages\n", tools::listed(promised_chains()).c_str());
    if (const auto chains = gpu_chains(); !chains.empty()) std::printf("    GPUs, --plan and --capture: none, %s\n", tools::listed(chains).c_str());
    std::puts("  stages");
    for (const stage& s : stages()) std::printf("    %-11s%s\n", std::string(s.name).c_str(), std::string(s.says).c_str());
}

void print_gemm_help() {
    std::printf("fade-bench gemm --device DEV --dtype TYPE --m N --n N --k N [options]\n\n"
                "Runs D = epilogue(alpha A B + beta C) and says what ran, how long it took and whether it is right.\n\n%s\n"
                "--check compares by ||D - ref|| / ||ref||, where ||ref|| counts as no less than a quarter of what outputs\n"
                "without an epilogue have. Where the reference would take more than some seconds it compares rows chosen at\n"
                "random, and says how many. Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
                tools::help_lines(gemm_options_known()).c_str());
}

}  // namespace fade::bench

#include "../list.hpp"
#include "gemm.hpp"
#include "peer.hpp"
#include <cstdio>

namespace fade::bench {
namespace {

/// Chains that GPU devices hold beside none; empty where this program has no GPU code.
std::vector<std::string> gpu_chains() {
    for (const auto& r : runners<gemm_runner>())
        if (auto c = r->chains(); !c.empty()) return c;
    return {};
}

/// Who holds results that are wider than 16-bit inputs.
std::vector<std::string> devices_to_f32() {
    std::vector<runner_key> held;
    for (const runner_key& k : keys_of_runners<gemm_runner>())
        if (k.in != k.out && k.out == fade::dtype::f32) held.push_back(k);
    return devices_of(held);
}

}  // namespace

void print_gemm_list() {
    std::puts("gemm");
    print_line("devices", devices_of(keys_of_runners<gemm_runner>()));
    print_line("types", types_of(keys_of_runners<gemm_runner>()));
    std::printf("    16-bit types to f32 on %s\n", tools::listed(devices_to_f32()).c_str());
    print_line("peers", names_of(gemm_peers()));
    print_line("layouts", {"nn", "nt", "tn", "tt"});
    std::puts("  epilogues");
    std::printf("    host and emulated devices: none, %s, and any other sequence of up to 8 stages\n",
                tools::listed(promised_chains()).c_str());
    if (const auto chains = gpu_chains(); !chains.empty())
        std::printf("    GPUs, --plan and --capture: none, %s\n", tools::listed(chains).c_str());
    std::puts("  stages");
    for (const stage& s : stages())
        std::printf("    %-11s%s\n", std::string(s.name).c_str(), std::string(s.says).c_str());
}

void print_gemm_help() {
    std::printf(
        "fade-bench gemm --device DEV --dtype TYPE --m N --n N --k N [options]\n\n"
        "Runs D = epilogue(alpha A B + beta C) and says what ran, how long it took and whether it is "
        "right.\n\n%s\n"
        "--check compares by ||D - ref|| / ||ref||, where ||ref|| counts as no less than a quarter of what "
        "outputs\n"
        "without an epilogue have. Where the reference would take more than some seconds it compares rows "
        "chosen at\n"
        "random, and says how many. Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(gemm_options_known()).c_str());
}

}  // namespace fade::bench

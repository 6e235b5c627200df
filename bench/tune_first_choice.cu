// How long a process takes for its first choice by a row of a tuning database, on an NVIDIA GPU.
//   tune_first_choice make|plain|after FILE
// `make` puts 60 rows into FILE. The others open it and choose for each: the first choice of all, or the
// first behind a choice without a source, in a process each. Nothing is launched.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fade/gemm.hpp>
#include <fade/tune.hpp>
#include <string>

using namespace fade;

namespace {

/// Keeps what a call asked.
struct asked : tuned_policies {
    mutable tune::tuning_row row{};
    tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const override {
        row.problem = problem, row.machine = machine;
        return {};
    }
};

/// Nobody reads the operands.
report choose(cuda_device& device, fade::index rows, const tuned_policies* by) {
    auto* const at = reinterpret_cast<f16*>(0x10000);
    constexpr fade::index far = fade::index(1) << 28;
    return plan_gemm<f16, f16, only(operand_access::nt)>(
               device, {.m = rows, .n = 2048, .k = 4096, .layout = gemm_layout::nt},
               {.a = at, .b = at + far, .d = at + 2 * far}, {}, {.split_k = 0, .tuned = by})
        .report;
}

double microseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** words) {
    const std::string mode = count == 3 ? words[1] : "";
    if (mode != "make" && mode != "plain" && mode != "after")
        return std::fprintf(stderr, "usage: tune_first_choice make|plain|after FILE\n"), 2;
    constexpr int calls = 60, first = 1024, step = 64;
    cuda_device device(0);
    const auto opening = std::chrono::steady_clock::now();
    tuning_database rows({words[2], {}});
    const double opened = microseconds_since(opening);
    if (mode == "make") {
        for (int i = 0; i < calls; ++i) {
            asked source;
            choose(device, first + step * i, &source);
            source.row.policy = tune::policy_json(tuned_gemm{tune::gemm_rows<arch::sm_90a, f16>::row.small});
            source.row.evidence = "none: nobody timed it";
            rows.put(source.row);
        }
        return 0;
    }
    double without = 0, worst = 0, begun = 0;
    if (mode == "after") {
        const auto begin = std::chrono::steady_clock::now();
        choose(device, first - step, nullptr);
        without = microseconds_since(begin);
    }
    for (int i = 0; i < calls; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const report said = choose(device, first + step * i, &rows);
        const double took = microseconds_since(begin);
        if (!said.evidence.starts_with("tuned: ")) return std::fprintf(stderr, "no row decides\n"), 1;
        (i == 0 ? begun : worst) = i == 0 ? took : std::max(worst, took);
    }
    std::printf(
        "opened in %.0f us, without a source %.1f us, the first by a row %.1f us, others at most %.1f us\n",
        opened, without, begun, worst);
}

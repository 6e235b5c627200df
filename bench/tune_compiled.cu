// Products tuned with candidates that NVRTC compiles: is the budget kept, and what is gained?
//   tune_compiled INCLUDE CACHE RUNS SECONDS LONG
// INCLUDE has FADE's headers, CACHE is a folder of this user's alone. RUNS products are tuned for one, two or
// three times SECONDS each, none of whose kernels is in a cache; then three for LONG seconds each. A line
// each.
#include "tune_compiled.hpp"

namespace {

tuning tune_product(const places& at, const std::string& name, const gemm_problem& p, double budget,
                    double& took, int most = 24) {
    tune::kernel_cache kernels({.include = at.include, .folder = at.fresh(name)});
    gpu device(kernels, 0);
    device.candidates.max = std::size_t(most);
    tuning_database rows({at.folder + "/rows.db", {}});
    tensor a(device, p.m * p.k), b(device, p.k * p.n), d(device, p.m * p.n);
    const gemm_operands<f16> operands{.a = a.data(), .b = b.data(), .d = d.data()};
    const clock_of_run clock;
    tuning out = tune_gemm<f16, f16, only(operand_access::nt)>(device, p, operands, rows,
                                                               std::chrono::duration<double>(budget), {}, 0);
    took = clock.seconds();
    return out;
}

}  // namespace

int main(int count, char** words) {
    if (count != 6) return std::fprintf(stderr, "usage: tune_compiled INCLUDE CACHE RUNS SECONDS LONG\n"), 2;
    const places at{words[1], words[2]};
    const int runs = std::atoi(words[3]);
    const double budget = std::atof(words[4]), longer = std::atof(words[5]);
    const extent sizes[][3] = {{4096, 4096, 4096}, {512, 4096, 4096},  {2048, 14336, 4096},
                               {64, 4096, 14336},  {1024, 1024, 1024}, {2048, 4096, 11008},
                               {256, 8192, 8192},  {8192, 1280, 1280}};
    double worst = 0, took = 0;
    for (int i = 0; i < runs; ++i) {
        const auto& [m, n, k] = sizes[i % std::size(sizes)];
        const gemm_problem p{.m = m, .n = n, .k = k, .layout = gemm_layout::nt};
        const double wanted = budget * (i % 3 + 1);
        const tuning t = tune_product(at, "run" + std::to_string(i), p, wanted, took);
        print("product", t, wanted, took);
        worst = std::max(worst, took / wanted);
    }
    std::printf("%d runs: the longest took %.3f of its budget\n", runs, worst);
    for (int i = 0; i < 3; ++i) {
        const auto& [m, n, k] = sizes[i];
        const gemm_problem p{.m = m, .n = n, .k = k, .layout = gemm_layout::nt};
        const tuning t = tune_product(at, "long" + std::to_string(i), p, longer, took);
        print("product", t, longer, took);
    }
}

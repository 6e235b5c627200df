// Attention tuned with candidates that NVRTC compiles.
//   tune_compiled_attention INCLUDE CACHE SECONDS
// INCLUDE has FADE's headers, CACHE is a folder of this user's alone. A prompt, a prompt of short heads and a
// decoding step, SECONDS each. A line each.
#include "tune_compiled.hpp"

namespace {

tuning tune_heads(const places& at, const std::string& name, const attention_problem& p, double budget,
                  double& took) {
    tune::kernel_cache kernels({.include = at.include, .folder = at.fresh(name)});
    gpu device(kernels, 0);
    tuning_database rows({at.folder + "/rows.db", {}});
    const extent dim = p.head_dim, q_count = p.batch * p.seq_q * p.heads * dim,
                 k_count = p.batch * p.seq_k * p.kv_heads * dim;
    tensor q(device, q_count), k(device, k_count), v(device, k_count), o(device, q_count);
    const attention_operands<f16> operands{.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
    const clock_of_run clock;
    tuning out = tune_attention<f16>(device, p, operands, rows, std::chrono::duration<double>(budget));
    took = clock.seconds();
    return out;
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return std::fprintf(stderr, "usage: tune_compiled_attention INCLUDE CACHE SECONDS\n"), 2;
    const places at{words[1], words[2]};
    const double budget = std::atof(words[3]);
    const attention_problem all[] = {
        {.batch = 1, .heads = 32, .kv_heads = 8, .seq_q = 2048, .seq_k = 2048, .head_dim = 128},
        {.batch = 2, .heads = 10, .kv_heads = 10, .seq_q = 4096, .seq_k = 4096, .head_dim = 64},
        {.batch = 8, .heads = 32, .kv_heads = 8, .seq_q = 1, .seq_k = 4096, .head_dim = 128}};
    int i = 0;
    for (const attention_problem& p : all) {
        double took = 0;
        const tuning t = tune_heads(at, "heads" + std::to_string(i++), p, budget, took);
        print("attention", t, budget, took);
    }
}

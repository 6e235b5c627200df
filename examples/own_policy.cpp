// A policy of one's own: how a product or an attention is cut is a value that a call takes, in place of the
// one that FADE's table has for the architecture. It is part of the kernel's type, so an architecture that
// cannot run it says so when it is compiled, in one sentence.
//
// Emulation shows that the product is right, not that it is fast. That stands in the machine code:
//   clang++ -x hip --offload-arch=gfx942 --offload-device-only -S -O3 -std=c++20 -I include own_policy.cpp
//   isa_audit.py --fail-on spills,scratch own_policy.s     (the tool that bench/audit_gemm.py takes)
// Symbols hold passed_gemm_entry and passed_attention_entry. The product's policy, by clang 22: no spills and
// no scratch; the unit that multiplies is busy in at most 62 % of the loop over k on gfx942, where narrow
// tiles wait for shared memory, and all of it on gfx1030, gfx1100 and gfx1201. The report of the call claims
// none of that: nobody audits what callers pass.
#include "demo/memory.hpp"
#include <cmath>
#include <cstdio>
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <random>
using fade::f16;

/// Tall tiles, for a D of few columns: four waves below each other, which share their part of B.
constexpr fade::gemm_policy tall{.block_tile = {128, 32, 32},
                                 .wave_tile = {32, 32},
                                 .pipeline = fade::block::pipeline_kind::double_buffer,
                                 .swizzle_rows = 16};
constexpr fade::gemm_kernels kernels = fade::with_policy(tall, fade::only(fade::operand_access::nt));

/// 0 where D = A B^T by that policy is what double precision makes of it.
template <class Device>
int wrong(Device& device, unsigned seed) {
    const fade::gemm_problem problem{.m = 300, .n = 24, .k = 200, .layout = fade::gemm_layout::nt};
    const std::size_t m = 300, n = 24, k = 200;
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> a(m * k), b(n * k);
    for (auto* x : {&a, &b})
        for (float& v : *x) v = fade::to_f32(fade::to_f16(normal(random)));
    demo::array<Device, f16> on_a(device, a), on_b(device, b), on_d(device, std::vector<float>(m * n, NAN));
    const fade::report said = fade::gemm<f16, f16, kernels>(
        device, problem, {.a = on_a.data(), .b = on_b.data(), .d = on_d.data()});
    const std::vector<float> d = on_d.get();
    double off = 0, norm = 0;
    for (std::size_t i = 0; i < m * n; ++i) {
        double sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += double(a[i / n * k + p]) * b[i % n * k + p];
        off += (d[i] - sum) * (d[i] - sum), norm += sum * sum;
    }
    std::printf("%s\n  %s\n  because %s\n  evidence %s\n  off by %.1e (seed %u)\n", said.device.c_str(),
                said.chosen.c_str(), said.why.c_str(), said.evidence.c_str(), std::sqrt(off / norm), seed);
    return !(std::sqrt(off / norm) < 1e-3);
}

/// Two waves of 32 queries, and steps of 32 keys. Queries stay in shared memory.
constexpr fade::attention_policy narrow{.waves = 2,
                                        .wave_queries = 32,
                                        .keys = 32,
                                        .head_dim = 64,
                                        .q_storage = fade::attention_q_storage::shared,
                                        .waves_per_simd = 1};

/// 0 where attention by that policy is what double precision makes of it.
template <class Device>
int wrong_attention(Device& device, unsigned seed) {
    const std::size_t queries = 90, keys = 200, dim = 64;
    const fade::attention_problem problem{.seq_q = 90, .seq_k = 200, .head_dim = 64};
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> q(queries * dim), k(keys * dim), v(keys * dim);
    for (auto* x : {&q, &k, &v})
        for (float& e : *x) e = fade::to_f32(fade::to_f16(normal(random)));
    demo::array<Device, f16> on_q(device, q), on_k(device, k), on_v(device, v),
        on_o(device, std::vector<float>(queries * dim, NAN));
    const fade::report said = fade::attention<f16, f16, fade::with_policy(narrow)>(
        device, problem, {.q = on_q.data(), .k = on_k.data(), .v = on_v.data(), .o = on_o.data()});
    const std::vector<float> o = on_o.get();
    double off = 0, norm = 0;
    for (std::size_t i = 0; i < queries; ++i) {
        std::vector<double> want(dim);
        double total = 0;
        for (std::size_t j = 0; j < keys; ++j) {
            double score = 0;
            for (std::size_t e = 0; e < dim; ++e) score += double(q[i * dim + e]) * k[j * dim + e];
            const double weight = std::exp(score / std::sqrt(double(dim)));
            total += weight;
            for (std::size_t e = 0; e < dim; ++e) want[e] += weight * v[j * dim + e];
        }
        for (std::size_t e = 0; e < dim; ++e) {
            const double exact = want[e] / total;
            off += (o[i * dim + e] - exact) * (o[i * dim + e] - exact), norm += exact * exact;
        }
    }
    std::printf("%s\n  %s\n  because %s\n  evidence %s\n  off by %.1e (seed %u)\n", said.device.c_str(),
                said.chosen.c_str(), said.why.c_str(), said.evidence.c_str(), std::sqrt(off / norm), seed);
    return !(std::sqrt(off / norm) < 2e-3);
}

int main() {
    const unsigned seed = std::random_device()();
#if defined(__HIP__)
    fade::hip_device gpu;
    return wrong(gpu, seed) + wrong_attention(gpu, seed);
#else
    fade::emulated_device<fade::arch::gfx942> cdna;
    fade::emulated_device<fade::arch::gfx1100> rdna3;
    fade::emulated_device<fade::arch::gfx1030> rdna2;
    return wrong(cdna, seed) + wrong(rdna3, seed) + wrong(rdna2, seed) + wrong_attention(cdna, seed) +
           wrong_attention(rdna3, seed);
#endif
}

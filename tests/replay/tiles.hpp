// Kernels of one's own in the verbs of tiles: those of examples/, captured as launches.
#pragma once
#define main own_flash_attention
#include "../../examples/own_flash_attention.cpp"
#undef main
#include "capture.hpp"
#include "launched.hpp"
#include <cmath>
#include <random>

namespace fade::replay {

/// Queries beyond the last whole tile, of heads that share keys.
inline void capture_flash_attention(const capture_target& target, const fs::path& folder,
                                    std::mt19937_64& random) {
    const int heads = 2, seq_q = 140, seq_k = 170, d = flash_attention::head_dim;
    std::normal_distribution<float> normal;
    const auto fresh = [&](int rows) {
        std::vector<f16> out(std::size_t(rows * d));
        for (f16& x : out) x = convert<f16>(normal(random));
        return out;
    };
    const std::vector<f16> q = fresh(seq_q * heads), k = fresh(seq_k), v = fresh(seq_k);
    std::vector<f16> o = q;
    const float scale = 1 / std::sqrt(float(d));
    capture out(folder);
    out.memory("q", q.data(), q.size() * 2, "in"), out.memory("k", k.data(), k.size() * 2, "in");
    out.memory("v", v.data(), v.size() * 2, "in"), out.memory("o", o.data(), o.size() * 2, "out");
    out.launch(target.row(), plan_launch<flash_attention>(
                                 target, {ceil_div(seq_q, flash_attention::queries), heads, 1},
                                 {q.data(), k.data(), v.data(), o.data(), seq_q, seq_k, heads, 1, scale}));
    std::vector<double> wanted(o.size());
    for (int row = 0; row < seq_q * heads; ++row) {
        double sum = 0;
        for (int j = 0; j <= row / heads + seq_k - seq_q; ++j) {
            double s = 0;
            for (int c = 0; c < d; ++c) s += double(to_f32(q[row * d + c])) * to_f32(k[j * d + c]);
            const double p = std::exp(s * scale);
            for (int c = 0; c < d; ++c) wanted[row * d + c] += p * to_f32(v[j * d + c]);
            sum += p;
        }
        for (int c = 0; c < d; ++c) wanted[row * d + c] /= sum;
    }
    out.expect("o", "f16", wanted, 2e-3);
    out.close();
}

}  // namespace fade::replay

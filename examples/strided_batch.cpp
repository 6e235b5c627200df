// Many products in one call: matrices at a constant distance from each other, inside larger ones.
// Here the heads of an attention layer: q and k lie packed as [token][head][channel], and scores[head] =
// q_head k_head^T / 8.
#include <cmath>
#include <cstdio>
#include <fade/gemm.hpp>
#include <vector>

namespace {

constexpr fade::index heads = 6, tokens = 50, channels = 64, row = heads * channels;

/// Largest difference from plain loops.
double worst_error(const std::vector<float>& q, const std::vector<float>& k,
                   const std::vector<float>& scores) {
    double worst = 0;
    for (fade::index h = 0; h < heads; ++h)
        for (fade::index i = 0; i < tokens; ++i)
            for (fade::index j = 0; j < tokens; ++j) {
                double sum = 0;
                for (fade::index c = 0; c < channels; ++c)
                    sum += double(q[i * row + h * channels + c]) * k[j * row + h * channels + c];
                worst = std::max(worst, std::abs(sum / 8 - scores[(h * tokens + i) * tokens + j]));
            }
    return worst;
}

template <class Device>
bool multiply_heads(Device& device) {
    std::vector<float> q(tokens * row), k(tokens * row), scores(heads * tokens * tokens, -1.0f);
    for (fade::index i = 0; i < tokens * row; ++i)
        q[i] = float(i % 17 - 8) / 8, k[i] = float(i % 23 - 11) / 8;

    // A head begins `channels` elements after the one before it; its rows are `row` elements apart.
    // Strides and leading dimensions count elements; what is left out is packed.
    const fade::gemm_problem problem{.m = tokens,
                                     .n = tokens,
                                     .k = channels,
                                     .layout = fade::gemm_layout::nt,
                                     .batch = heads,
                                     .alpha = 1.0 / 8,
                                     .lda = row,
                                     .ldb = row,
                                     .stride_a = channels,
                                     .stride_b = channels};
    const fade::report ran =
        fade::gemm<float>(device, problem, {.a = q.data(), .b = k.data(), .d = scores.data()});
    const double worst = worst_error(q, k, scores);
    std::printf("%s: %s by %s; largest difference %g\n", ran.device.c_str(), ran.requested.c_str(),
                ran.chosen.c_str(), worst);
    return worst < 1e-5;
}

}  // namespace

int main() {
    fade::host_device cpu;
    fade::emulated_device<fade::arch::gfx1030> radeon;
    const bool on_cpu = multiply_heads(cpu), on_radeon = multiply_heads(radeon);
    return on_cpu && on_radeon ? 0 : 1;
}

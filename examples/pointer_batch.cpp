// Many products in one call whose matrices are found by pointers: no stride leads from one to the next.
// Here the heads of an attention layer that share keys: scores[head] = q_head k_(head / 3)^T / 8.
#include <cmath>
#include <cstdio>
#include <fade/batched_gemm.hpp>
#include <vector>

namespace {

constexpr fade::index heads = 6, shared = 3, tokens = 50, channels = 64, row = heads * channels;

/// Largest difference from plain loops.
double worst_error(const std::vector<float>& q, const std::vector<float>& k,
                   const std::vector<float>& scores) {
    double worst = 0;
    for (fade::index h = 0; h < heads; ++h)
        for (fade::index i = 0; i < tokens; ++i)
            for (fade::index j = 0; j < tokens; ++j) {
                double sum = 0;
                for (fade::index c = 0; c < channels; ++c)
                    sum +=
                        double(q[i * row + h * channels + c]) * k[(h / shared * tokens + j) * channels + c];
                worst = std::max(worst, std::abs(sum / 8 - scores[(h * tokens + i) * tokens + j]));
            }
    return worst;
}

template <class Device>
bool multiply_heads(Device& device) {
    std::vector<float> q(tokens * row), k(heads / shared * tokens * channels),
        scores(heads * tokens * tokens, -1.0f);
    for (fade::index i = 0; i < tokens * row; ++i) q[i] = float(i % 17 - 8) / 8;
    for (fade::index i = 0; i < fade::index(k.size()); ++i) k[i] = float(i % 23 - 11) / 8;

    // On a GPU the tables lie in its memory, too, and the kernel alone reads them.
    std::vector<const float*> queries, keys;
    std::vector<float*> results;
    for (fade::index h = 0; h < heads; ++h) {
        queries.push_back(q.data() + h * channels);  // all of them multiples of options.alignment: 16 bytes
        keys.push_back(k.data() + h / shared * tokens * channels);
        results.push_back(scores.data() + h * tokens * tokens);
    }
    const fade::gemm_problem problem{.m = tokens,
                                     .n = tokens,
                                     .k = channels,
                                     .layout = fade::gemm_layout::nt,
                                     .batch = heads,
                                     .alpha = 1.0 / 8,
                                     .lda = row};
    const fade::report ran = fade::batched_gemm<float, float, fade::only(fade::operand_access::nt)>(
        device, problem, {.a = queries.data(), .b = keys.data(), .d = results.data()});
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

// A layer of experts on every machine: a router chooses, tokens are sorted by expert without being copied,
// one product makes silu(gate) * up of a row, a second brings it back, and what the experts made is added up.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fade/gemm.hpp>
#include <fade/moe.hpp>
#include <numeric>
#include <random>
#include <vector>

constexpr int tokens = 50, width = 64, hidden = 48, experts = 6, top_k = 2, rows = tokens * top_k;

struct layer {
    std::mt19937 random{std::random_device{}()};
    std::vector<float> x = filled(tokens * width, 1), router = filled(experts * width, 0.3f),
                       gate_up = filled(experts * 2 * hidden * width, 0.2f),  // row 2i gates row 2i + 1
        down = filled(experts * width * hidden, 0.2f);

    std::vector<float> filled(int count, float deviation) {
        std::normal_distribution<float> normal(0, deviation);
        std::vector<float> out(static_cast<std::size_t>(count));
        for (float& v : out) v = normal(random);
        return out;
    }
};

template <class Device>
std::vector<float> run(Device& device, const layer& l) {
    std::vector<float> logits(tokens * experts), weights(rows), inner(rows * hidden), outer(rows * width),
        y(tokens * width);
    std::vector<int> choices(rows), ends(experts), list(rows), slots(rows);
    fade::gemm<float>(device, {.m = tokens, .n = experts, .k = width, .layout = fade::gemm_layout::nt},
                      {.a = l.x.data(), .b = l.router.data(), .d = logits.data()});
    fade::moe_route(device, {.tokens = tokens, .experts = experts, .top_k = top_k}, logits.data(),
                    choices.data(), weights.data());
    fade::moe_dispatch(device, {tokens, top_k, experts},
                       {choices.data(), ends.data(), list.data(), slots.data()});
    fade::grouped_gemm<float>(
        device, {.rows = rows, .n = 2 * hidden, .k = width, .groups = experts, .rows_of_a = tokens},
        {.a = l.x.data(),
         .b = l.gate_up.data(),
         .d = inner.data(),
         .ends = ends.data(),
         .row_list = list.data()},
        fade::swiglu());
    fade::grouped_gemm<float>(
        device, {.rows = rows, .n = width, .k = hidden, .groups = experts},
        {.a = inner.data(), .b = l.down.data(), .d = outer.data(), .ends = ends.data()});
    fade::moe_combine<float>(device, {.tokens = tokens, .top_k = top_k, .columns = width, .rows = rows},
                             {outer.data(), slots.data(), weights.data(), y.data()});
    return y;
}

/// The same by loops over tokens and experts.
std::vector<double> by_loops(const layer& l) {
    std::vector<double> y(tokens * width);
    const auto dot = [](const auto* a, const auto* b, int n) { return std::inner_product(a, a + n, b, 0.0); };
    for (int t = 0; t < tokens; ++t) {
        const float* x = &l.x[std::size_t(t * width)];
        std::vector<std::pair<double, int>> chosen;
        for (int e = 0; e < experts; ++e)
            chosen.emplace_back(std::exp(dot(x, &l.router[std::size_t(e * width)], width)), e);
        std::sort(chosen.rbegin(), chosen.rend());
        double sum = 0;
        for (int j = 0; j < top_k; ++j) sum += chosen[j].first;
        for (int j = 0; j < top_k; ++j) {
            const auto [weight, e] = chosen[j];
            std::vector<double> h(hidden);
            for (int i = 0; i < hidden; ++i) {
                const float* row = &l.gate_up[std::size_t((e * hidden + i) * 2 * width)];
                const double g = dot(x, row, width);
                h[std::size_t(i)] = g / (1 + std::exp(-g)) * dot(x, row + width, width);
            }
            for (int i = 0; i < width; ++i)
                y[std::size_t(t * width + i)] +=
                    weight / sum * dot(h.data(), &l.down[std::size_t((e * width + i) * hidden)], hidden);
        }
    }
    return y;
}

int main() {
    const layer l;
    const auto want = by_loops(l);
    int wrong = 0;
    const auto check = [&](auto&& device) {
        const std::vector<float> y = run(device, l);
        double off = 0, norm = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
            off += std::pow(y[i] - want[i], 2), norm += want[i] * want[i];
        std::printf("%s: relative error %.1e\n", device.name().c_str(), std::sqrt(off / norm));
        wrong += !(off <= 1e-10 * norm);
    };
    check(fade::host_device());
    check(fade::emulated_device<fade::arch::gfx942>());
    check(fade::emulated_device<fade::arch::gfx1100>());
    return wrong;
}

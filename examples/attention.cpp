// Causal attention with grouped heads: 8 query heads share 2 heads of keys and values. Run without arguments
// it uses this CPU;
// `--device emulated:gfx942` (or gfx1030, gfx1100) runs the kernel of that GPU on the CPU; compiled as HIP it
// knows `hip:0`.
#include "demo/memory.hpp"
#include <cmath>
#include <cstdio>
#include <fade/attention.hpp>
#include <string>
using fade::f16;

namespace {

const fade::attention_problem problem{.batch = 1,
                                      .heads = 8,
                                      .kv_heads = 2,
                                      .seq_q = 100,
                                      .seq_k = 120,
                                      .head_dim = 64,
                                      .causal = fade::causal_kind::bottom_right};
const fade::index group = problem.heads / problem.kv_heads,
                  ahead = problem.seq_k - problem.seq_q;  // the last query stands at the last key

/// Some numbers between -1 and 1, all of which f16 holds.
std::vector<float> numbers(fade::index count, unsigned seed) {
    std::vector<float> x(count);
    for (float& e : x) seed = seed * 1664525u + 1013904223u, e = float(int(seed >> 24) - 128) / 128;
    return x;
}

/// One element of O by plain loops over [position, head, head_dim].
double plain(const std::vector<float>& q, const std::vector<float>& k, const std::vector<float>& v,
             fade::index i, fade::index h, fade::index c) {
    const fade::index d = problem.head_dim, key_head = h / group;
    double sum = 0, weighted = 0;
    for (fade::index j = 0; j <= i + ahead; ++j) {
        const fade::index row = (j * problem.kv_heads + key_head) * d;
        double score = 0;
        for (fade::index e = 0; e < d; ++e) score += double(q[(i * problem.heads + h) * d + e]) * k[row + e];
        const double weight = std::exp(score / std::sqrt(double(d)));
        sum += weight, weighted += weight * v[row + c];
    }
    return weighted / sum;
}

template <class Device>
bool attend(Device device) {
    const fade::index q_size = problem.seq_q * problem.heads * problem.head_dim,
                      k_size = problem.seq_k * problem.kv_heads * problem.head_dim;
    const std::vector<float> q = numbers(q_size, 1), k = numbers(k_size, 2), v = numbers(k_size, 3);
    demo::array<Device, f16> on_q(device, q), on_k(device, k), on_v(device, v);
    demo::array<Device, float> on_o(device, std::vector<float>(q_size)),
        on_lse(device, problem.heads * problem.seq_q);

    const fade::report ran = fade::attention<f16, float>(
        device, problem,
        {.q = on_q.data(), .k = on_k.data(), .v = on_v.data(), .o = on_o.data(), .lse = on_lse.data()});
    std::printf("asked for: %s\nran:       %s on %s\nbecause:   %s\nfallback:  %s\n", ran.requested.c_str(),
                ran.chosen.c_str(), ran.device.c_str(), ran.why.c_str(), ran.fallback ? "yes" : "no");

    const std::vector<float> o = on_o.get();
    double worst = 0;
    for (const fade::index i : {0, 1, 50, 99})
        for (fade::index h = 0; h < problem.heads; ++h)
            for (const fade::index c : {0, 31, 63})
                worst = std::max(worst, std::abs(plain(q, k, v, i, h, c) -
                                                 o[(i * problem.heads + h) * problem.head_dim + c]));
    std::printf("largest difference from plain loops: %.1e; log of the first query's sum: %.4f\n", worst,
                on_lse.get()[0]);
    return worst < 1e-3;  // weights are rounded to f16
}

bool attend_on(const std::string& name) {
    if (name == "host") return attend(fade::host_device());
    if (name == "emulated:gfx942") return attend(fade::emulated_device<fade::arch::gfx942>());
    if (name == "emulated:gfx1030") return attend(fade::emulated_device<fade::arch::gfx1030>());
    if (name == "emulated:gfx1100") return attend(fade::emulated_device<fade::arch::gfx1100>());
#if defined(__HIP__)
    if (name == "hip:0") return attend(fade::hip_device());
#endif
    throw fade::error(
        "--device", name,
        "this program holds host, emulated:gfx942 gfx1030 gfx1100, and hip:0 where it was compiled for it");
}

}  // namespace

int main(int count, char** words) try {
    if (count != 1 && !(count == 3 && std::string(words[1]) == "--device"))
        throw fade::error("the command", words[1], "it takes --device NAME, or nothing");
    return attend_on(count == 3 ? words[2] : "host") ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "example-attention: %s.\n", e.what());
    return 2;
}

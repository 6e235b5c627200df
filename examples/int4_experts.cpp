// A product of a mixture of experts whose weights are AWQ's: 4 bits each, packed expert after expert. Tokens
// are read through a list, so none is copied, and where an expert's rows end stands in the device's memory.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fade/moe.hpp>
#include <random>
#include <vector>

namespace {

constexpr int tokens = 20, experts = 4, top_k = 2, rows = tokens * top_k, columns = 64, depth = 256,
              group = 128;

/// Of a checkpoint: qweight [k][n / 8], qzeros [k / 128][n / 8] and scales [k / 128][n] of each expert, one
/// behind the other; here random. Memory begins at a multiple of 16, as new's does.
struct layer {
    std::vector<std::uint32_t> qweight = std::vector<std::uint32_t>(experts * depth * columns / 8),
                               qzeros = std::vector<std::uint32_t>(experts * depth / group * columns / 8);
    std::vector<fade::f16> scales = std::vector<fade::f16>(experts * depth / group * columns),
                           x = std::vector<fade::f16>(tokens * depth);
    std::vector<int> choices;  ///< two experts of each token
    explicit layer(std::mt19937& random) {
        for (std::uint32_t& w : qweight) w = std::uint32_t(random());
        for (std::uint32_t& w : qzeros) w = std::uint32_t(random());
        for (fade::f16& s : scales) s = fade::to_f16(0.002f + 0.001f * float(random() % 8));
        std::normal_distribution<float> normal;
        for (fade::f16& v : x) v = fade::to_f16(normal(random));
        for (int t = 0; t < tokens; ++t)
            for (int i = 0, first = int(random() % experts); i < top_k; ++i)
                choices.push_back((first + i * int(1 + random() % (experts - 1))) % experts);
    }

    /// W[k][n] of an expert by the definition: scale * (q - zero).
    double weight(int expert, int k, int n) const {
        constexpr int nibble[] = {0, 4, 1, 5, 2, 6, 3, 7};  // where AWQ packs columns 0 to 7
        const auto number = [&](const std::vector<std::uint32_t>& from, int line) {
            return int(from[std::size_t(line * columns / 8 + n / 8)] >> 4 * nibble[n % 8] & 15);
        };
        const int line = expert * (depth / group) + k / group;
        return double(fade::to_f32(scales[std::size_t(line * columns + n)])) *
               (number(qweight, expert * depth + k) - number(qzeros, line));
    }
};

template <class Device>
bool try_on(Device device, const layer& l) {
    std::vector<int> ends(experts), list(rows), slots(rows);
    std::vector<float> y(rows * columns);
    fade::moe_dispatch(device, {tokens, top_k, experts},
                       {l.choices.data(), ends.data(), list.data(), slots.data()});
    const fade::report said = fade::grouped_weight_gemm<fade::weights::awq(group), fade::f16, float>(
        device, {.rows = rows, .n = columns, .k = depth, .groups = experts, .rows_of_a = tokens},
        {.a = l.x.data(),
         .weights = l.qweight.data(),
         .scales = l.scales.data(),
         .zeros = l.qzeros.data(),
         .d = y.data(),
         .ends = ends.data(),
         .row_list = list.data()});
    double off = 0, norm = 0;
    for (int choice = 0; choice < rows; ++choice)
        for (int n = 0; n < columns; ++n) {
            double sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += double(fade::to_f32(l.x[std::size_t(choice / top_k * depth + k)])) *
                       l.weight(l.choices[std::size_t(choice)], k, n);
            const double d = double(y[std::size_t(slots[std::size_t(choice)] * columns + n)]) - sum;
            off += d * d, norm += sum * sum;
        }
    const double error = std::sqrt(off / norm);
    std::printf("%s: %s\n  relative error %.1e\n", said.device.c_str(), said.chosen.c_str(), error);
    return error < 1e-3;  // weights are rounded once to f16: 2^-11
}

}  // namespace

int main() {
    std::mt19937 random(std::random_device{}());
    const layer l(random);
    const bool host = try_on(fade::host_device(), l),
               emulated = try_on(fade::emulated_device<fade::arch::gfx942>(), l);
    return host && emulated ? 0 : 1;
}

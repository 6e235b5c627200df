// A linear layer whose weights are GPTQ's: 4 bits each, a scale and a zero point for 128 of them along k.
// Words lie as in a checkpoint: qweight [k / 8][n], qzeros [k / 128][n / 8], scales [k / 128][n].
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fade/weight_gemm.hpp>
#include <random>
#include <vector>

namespace {

constexpr int tokens = 5, columns = 256, depth = 512, group = 128;

/// Of a checkpoint; here random. Calls read 16 bytes at once, so memory begins at a multiple of 16, as new's
/// does.
struct layer {
    std::vector<std::uint32_t> qweight = std::vector<std::uint32_t>(depth / 8 * columns),
                               qzeros = std::vector<std::uint32_t>(depth / group * columns / 8);
    std::vector<fade::f16> scales = std::vector<fade::f16>(depth / group * columns);
    explicit layer(std::mt19937& random) {
        for (std::uint32_t& w : qweight) w = std::uint32_t(random());
        for (std::uint32_t& w : qzeros) w = std::uint32_t(random());
        for (fade::f16& s : scales) s = fade::to_f16(0.002f + 0.001f * float(random() % 8));
    }

    /// W[k][n] by the definition: scale * (q - (zero + 1)).
    double weight(int k, int n) const {
        const auto nibble = [](const std::vector<std::uint32_t>& from, int word, int at) {
            return int(from[std::size_t(word)] >> 4 * at & 15);
        };
        const int q = nibble(qweight, k / 8 * columns + n, k % 8),
                  zero = nibble(qzeros, (k / group * columns + n) / 8, n % 8);
        return double(fade::to_f32(scales[std::size_t(k / group * columns + n)])) * (q - (zero + 1));
    }
};

template <class Device>
bool try_on(Device device, const layer& w, const std::vector<fade::f16>& x) {
    std::vector<float> y(tokens * columns);
    const fade::report said = fade::weight_gemm<fade::weights::gptq(group), fade::f16, float>(
        device, {.m = tokens, .n = columns, .k = depth},
        {.a = x.data(),
         .weights = w.qweight.data(),
         .scales = w.scales.data(),
         .zeros = w.qzeros.data(),
         .d = y.data()});
    double off = 0, norm = 0;
    for (int m = 0; m < tokens; ++m)
        for (int n = 0; n < columns; ++n) {
            double sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += double(fade::to_f32(x[std::size_t(m * depth + k)])) * w.weight(k, n);
            const double d = double(y[std::size_t(m * columns + n)]) - sum;
            off += d * d, norm += sum * sum;
        }
    const double error = std::sqrt(off / norm);
    std::printf("%s: %s\n  relative error %.1e\n", said.device.c_str(), said.chosen.c_str(), error);
    return error < 1e-3;  // weights are rounded once to f16: 2^-11
}

}  // namespace

int main() {
    std::mt19937 random(std::random_device{}());
    const layer w(random);
    std::vector<fade::f16> x(tokens * depth);
    std::normal_distribution<float> normal;
    for (fade::f16& v : x) v = fade::to_f16(normal(random));
    const bool host = try_on(fade::host_device(), w, x),
               emulated = try_on(fade::emulated_device<fade::arch::gfx1100>(), w, x);
    return host && emulated ? 0 : 1;
}

// A linear layer in 8-bit floats as DeepSeek-V3 stores its weights: a scale for 128 x 128 of them, and one
// for 128 values of a token, found from the largest of each. Beside it the same layer with one scale a
// matrix.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fade/scaled_gemm.hpp>
#include <random>
#include <vector>

using fade::bf16, fade::f8e4m3;
constexpr int tokens = 40, width = 512, outputs = 256, part = fade::scale_depth;
constexpr float largest_float8 = 448;

/// An operand in 8-bit floats: `lines` of `width` values, with a scale for `per_scale` lines and 128 values.
struct scaled_operand {
    std::vector<f8e4m3> values;
    std::vector<float> scales;

    scaled_operand(const std::vector<float>& x, int lines, int per_scale)
        : values(x.size()), scales(std::size_t((lines + per_scale - 1) / per_scale * (width / part))) {
        each(lines, per_scale,
             [&](std::size_t at, float& scale) { scale = std::max(scale, std::fabs(x[at])); });
        for (float& scale : scales) scale = std::max(scale / largest_float8, 1e-12f);
        each(lines, per_scale,
             [&](std::size_t at, float& scale) { values[at] = fade::convert<f8e4m3>(x[at] / scale); });
    }

private:
    template <class F>
    void each(int lines, int per_scale, F f) {
        for (int line = 0; line < lines; ++line)
            for (int k = 0; k < width; ++k)
                f(std::size_t(line * width + k),
                  scales[std::size_t(line / per_scale * (width / part) + k / part)]);
    }
};

/// How far y is from x w^T: the mean over tokens of relative errors, in the Euclidean norm.
double error_of(const std::vector<bf16>& y, const std::vector<float>& x, const std::vector<float>& w) {
    double mean = 0;
    for (int t = 0; t < tokens; ++t) {
        double off = 0, norm = 0;
        for (int o = 0; o < outputs; ++o) {
            double want = 0;
            for (int k = 0; k < width; ++k)
                want += double(x[std::size_t(t * width + k)]) * double(w[std::size_t(o * width + k)]);
            const double d = double(fade::convert<float>(y[std::size_t(t * outputs + o)])) - want;
            off += d * d, norm += want * want;
        }
        mean += std::sqrt(off / norm) / tokens;
    }
    return mean;
}

double run(const std::vector<float>& x, const std::vector<float>& w, int rows_per_scale,
           int columns_per_scale) {
    const scaled_operand a(x, tokens, rows_per_scale), b(w, outputs, columns_per_scale);
    std::vector<bf16> y(tokens * outputs);
    fade::host_device cpu;
    fade::scaled_gemm(cpu,
                      {.m = tokens,
                       .n = outputs,
                       .k = width,
                       .rows_per_scale = rows_per_scale,
                       .columns_per_scale = columns_per_scale},
                      fade::scaled_gemm_operands<f8e4m3, bf16>{.a = a.values.data(),
                                                               .b = b.values.data(),
                                                               .d = y.data(),
                                                               .scale_a = a.scales.data(),
                                                               .scale_b = b.scales.data()});
    return error_of(y, x, w);
}

int main() {
    std::mt19937 random{std::random_device{}()};
    std::normal_distribution<float> normal;
    std::vector<float> x(tokens * width), w(outputs * width);
    for (float& v : x) v = normal(random);
    for (float& v : w) v = normal(random) / 20;
    for (int t = 0; t < 3; ++t) x[std::size_t(t * width + 7)] = 40'000;  // outliers, as attention sinks have
    const double fine = run(x, w, 1, 128), coarse = run(x, w, 1 << 20, 1 << 20);
    std::printf("error with scales of 1 x 128 and 128 x 128: %.4f; with coarse ones: %.4f\n", fine, coarse);
    return fine < 0.06 && fine < coarse ? 0 : 1;
}

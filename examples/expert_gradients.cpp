// Gradients of the weights of experts: rows of tokens lie sorted by expert, and each expert's dW = dY^T X
// sums its own rows. An expert without tokens gets zeros.
#include <cmath>
#include <cstdio>
#include <fade/grouped_gemm.hpp>
#include <random>
#include <vector>

namespace {

constexpr int experts = 4, rows = 90, outputs = 24, inputs = 32;

std::vector<float> filled(int count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& v : out) v = normal(random);
    return out;
}

template <class Device>
bool try_on(Device device, const std::vector<int>& ends, const std::vector<float>& dy,
            const std::vector<float>& x) {
    std::vector<float> dw(experts * outputs * inputs);
    const fade::report said =
        fade::grouped_k_gemm<float>(device, {.m = outputs, .n = inputs, .k = rows, .groups = experts},
                                    {.a = dy.data(), .b = x.data(), .d = dw.data(), .ends = ends.data()});
    double off = 0, norm = 0;
    for (int e = 0, begin = 0; e < experts; begin = ends[std::size_t(e++)])
        for (int i = 0; i < outputs; ++i)
            for (int j = 0; j < inputs; ++j) {
                double sum = 0;
                for (int r = begin; r < ends[std::size_t(e)]; ++r)
                    sum += double(dy[std::size_t(r * outputs + i)]) * double(x[std::size_t(r * inputs + j)]);
                const double d = double(dw[std::size_t((e * outputs + i) * inputs + j)]) - sum;
                off += d * d, norm += sum * sum;
            }
    const double error = std::sqrt(off / norm);
    std::printf("%s: %s\n  relative error %.1e\n", said.device.c_str(), said.chosen.c_str(), error);
    return error < 1e-5;
}

}  // namespace

int main() {
    std::mt19937 random(std::random_device{}());
    const std::vector<int> ends{37, 37, 41, rows};  // of moe_dispatch; the second expert has no token
    const std::vector<float> dy = filled(rows * outputs, random), x = filled(rows * inputs, random);
    const bool host = try_on(fade::host_device(), ends, dy, x),
               emulated = try_on(fade::emulated_device<fade::arch::gfx942>(), ends, dy, x);
    return host && emulated ? 0 : 1;
}

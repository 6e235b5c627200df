// An epilogue of one's own: a small type that sees every element of D once, in registers, before it is
// stored. Here: softplus(x) = log(1 + e^x), and a dropout that keeps or drops by a hash of the element's
// place.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fade/gemm.hpp>
#include <vector>

namespace mine {

/// A stage has a name, for the report, and an operator that takes and returns the accumulator's type.
struct softplus : fade::epilogue::stage {
    static constexpr const char* name = "softplus";

    template <class Value>
    FADE_FN Value operator()(Value x, const fade::epilogue::position&) const {
        const float positive = x > 0 ? float(x) : 0.0f;  // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
        return Value(positive + __builtin_logf(1.0f + __builtin_expf(-__builtin_fabsf(float(x)))));
    }
};

/// A stage may hold numbers and pointers, and knows where its element lies.
struct dropout : fade::epilogue::stage {
    static constexpr const char* name = "dropout";
    std::uint32_t seed;
    float rate;
    dropout(std::uint32_t s, float r) : seed(s), rate(r) {}

    FADE_FN bool drops(fade::index row, fade::index column) const {
        std::uint32_t h = seed ^ (std::uint32_t(row) * 0x9e3779b9u) ^ (std::uint32_t(column) * 0x85ebca6bu);
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        return float((h ^ h >> 16) >> 8) * 0x1p-24f < rate;
    }
    template <class Value>
    FADE_FN Value operator()(Value x, const fade::epilogue::position& at) const {
        return drops(at.row, at.column) ? Value(0) : Value(float(x) / (1 - rate));
    }
};

}  // namespace mine

/// Largest difference from the same thing in plain loops; what ran is printed.
template <class Device>
double worst_error(Device& device) {
    const fade::index m = 100, n = 72, k = 40;
    std::vector<float> a(m * k), b(k * n), bias(n), d(m * n);
    for (fade::index i = 0; i < m * k; ++i) a[i] = float(i % 13 - 6) / 8;
    for (fade::index i = 0; i < k * n; ++i) b[i] = float(i % 11 - 5) / 8;
    for (fade::index i = 0; i < n; ++i) bias[i] = float(i % 5) / 4;

    const mine::dropout drop(7, 0.25f);
    const fade::report ran =
        fade::gemm<float>(device, {.m = m, .n = n, .k = k}, {.a = a.data(), .b = b.data(), .d = d.data()},
                          fade::bias(bias.data()) | mine::softplus() | drop);
    std::printf("%s: %s\n", ran.device.c_str(), ran.requested.c_str());

    double worst = 0;
    for (fade::index i = 0; i < m; ++i)
        for (fade::index j = 0; j < n; ++j) {
            double x = bias[j];
            for (fade::index p = 0; p < k; ++p) x += double(a[i * k + p]) * b[p * n + j];
            const double right = drop.drops(i, j) ? 0 : std::log1p(std::exp(x)) / 0.75;
            worst = std::max(worst, std::abs(right - d[i * n + j]));
        }
    return worst;
}

int main() {
    fade::host_device cpu;
    fade::emulated_device<fade::arch::gfx1201> radeon;
    const double worst = std::max(worst_error(cpu), worst_error(radeon));
    std::printf("largest difference from plain loops: %g\n", worst);
    return worst < 1e-5 ? 0 : 1;
}

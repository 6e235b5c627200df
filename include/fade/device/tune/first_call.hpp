// How long the first call of a problem takes at most, before it runs.
#pragma once
#include <algorithm>
#include <chrono>
#include <fade/device/gemm_call.hpp>
#include <fade/device/run_on.hpp>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// The nanoseconds that a call of so many multiplications takes at most, by a small product that is timed.
/// Other types and operations may be slower than that product, as far as four times.
inline double longest_call(host_device& device, double multiplications) {
    constexpr index m = 96, n = 128, k = 128;
    constexpr double margin = 4, fewest = 1e5;
    std::vector<float> a(m * k, 1.0f), b(k * n, 1.0f), d(m * n);
    double best = 0;
    for (int i = 0; i < 2; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        gemm_operation<float, float, host_device, epilogue::none, all_accesses> one(
            device, {.m = m, .n = n, .k = k}, {.a = a.data(), .b = b.data(), .d = d.data()}, {}, {});
        run_operation(device, one);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best = i == 0 ? took.count() : std::min(best, took.count());
    }
    return margin * best * std::max(multiplications, fewest) / double(m * n * k);
}

/// The same of a GPU, whose first call loads code: it makes at least 10^12 multiplications a second.
template <class Device>
double longest_call(const Device&, double multiplications) {
    constexpr double loading = 5e7, of_multiplication = 1e-3;
    return loading + of_multiplication * multiplications;
}

}  // namespace FADE_NAMESPACE::detail

// Fresh normal inputs, and how far a result is from what it should be.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fade/core/dtype.hpp>
#include <random>
#include <vector>

namespace demo {

/// A generator whose seed is new in every run, and printed.
inline std::mt19937 fresh_random() {
    const unsigned seed = std::random_device()();
    std::printf("seed %u\n", seed);
    return std::mt19937(seed);
}

/// Normal numbers that T holds.
template <class T>
std::vector<float> normal(std::size_t count, std::mt19937& random) {
    std::normal_distribution<float> numbers;
    std::vector<float> out(count);
    for (float& x : out) x = fade::convert<float>(fade::convert<T>(numbers(random)));
    return out;
}

/// ||out - wanted|| / ||wanted||.
inline double relative_error(const std::vector<float>& out, const std::vector<double>& wanted) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        error += (out[i] - wanted[i]) * (out[i] - wanted[i]), norm += wanted[i] * wanted[i];
    return std::sqrt(error / norm);
}

}  // namespace demo

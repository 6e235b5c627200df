// From logits to bytes, and to what a text costs.
#pragma once
#include "../demo/random.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace gpt {

/// A byte drawn with probability proportional to exp(logit / temperature).
inline char draw(const float* logits, int bytes, double temperature, demo::random_source& random) {
    const double top = *std::max_element(logits, logits + bytes);
    std::vector<double> below;  // cumulative
    for (int i = 0; i < bytes; ++i)
        below.push_back((i ? below.back() : 0) + std::exp((logits[i] - top) / temperature));
    const double at = random.uniform() * below.back();
    return char(std::upper_bound(below.begin(), below.end() - 1, at) - below.begin());
}

/// Bits that an ideal code needs for a byte whose logits are these.
inline double bits_of(const float* logits, int bytes, char byte) {
    const double top = *std::max_element(logits, logits + bytes);
    double sum = 0;
    for (int i = 0; i < bytes; ++i) sum += std::exp(logits[i] - top);
    return (std::log(sum) + top - logits[int(byte)]) / std::log(2.0);
}

/// Mean bits a byte of `text`, in windows of the model's context; what lies behind the last whole one is left
/// out.
template <class Model>
double bits_per_byte(Model& model, const std::string& text, int max_windows) {
    double bits = 0;
    int count = 0;
    for (int at = 0, windows = 0; at + model.context() < int(text.size()) && windows < max_windows;
         at += model.context(), ++windows) {
        model.forget();
        const std::vector<float> logits =
            model.read(text.substr(std::size_t(at), std::size_t(model.context())));
        for (int i = 0; i < model.context(); ++i, ++count)
            bits += bits_of(&logits[std::size_t(i * model.bytes())], model.bytes(),
                            text[std::size_t(at + i + 1)]);
    }
    return bits / count;
}

/// Seconds that f takes.
template <class F>
double seconds(F f) {
    const auto began = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace gpt

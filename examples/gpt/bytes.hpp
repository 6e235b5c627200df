// From logits to bytes, and to what a text costs.
#pragma once
#include "../demo/random.hpp"
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace gpt {

/// One of the bytes, as likely as it is among them.
template <class Choices>
char draw(const Choices& from, demo::random_source& random) {
    float left = random.uniform();
    for (std::size_t i = 0; i < from.bytes.size(); ++i)
        if ((left -= from.probabilities[i]) < 0) return char(from.bytes[i]);
    return char(from.bytes.back());
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
        model.read(text.substr(std::size_t(at), std::size_t(model.context())));
        for (const float nats : model.losses(text.substr(std::size_t(at) + 1, std::size_t(model.context()))))
            bits += nats / std::log(2.0), ++count;
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

// What the network learns: f32 on this CPU, whatever type the products are in.
#pragma once
#include "digits.hpp"
#include "random.hpp"
#include "settings.hpp"
#include <cmath>
#include <cstddef>
#include <vector>

namespace demo {

/// A tensor that descends by stochastic gradients with momentum (Polyak, 1964).
struct parameter {
    std::vector<float> value, speed;

    explicit parameter(std::size_t count) : value(count), speed(count) {}
    void step(const std::vector<float>& gradient, float rate, float momentum, float decay) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            speed[i] = momentum * speed[i] + gradient[i] + decay * value[i];
            value[i] -= rate * speed[i];
        }
    }
};

struct parameters {
    parameter w1, b1, w2, b2;
    float momentum, decay;

    explicit parameters(const settings& s)
        : w1(count(pixels, s.hidden)), b1(std::size_t(s.hidden)), w2(count(s.hidden, 16)), b2(16),
          momentum(s.momentum), decay(s.decay) {
        random_source random(s.seed);
        fill(w1, random, pixels);
        fill(w2, random, s.hidden);
    }

    void step(float rate, const std::vector<float>& d_w1, const std::vector<float>& d_b1,
              const std::vector<float>& d_w2, const std::vector<float>& d_b2) {
        w1.step(d_w1, rate, momentum, decay), b1.step(d_b1, rate, momentum, 0);
        w2.step(d_w2, rate, momentum, decay), b2.step(d_b2, rate, momentum, 0);
    }

private:
    static std::size_t count(int rows, int columns) { return std::size_t(rows) * std::size_t(columns); }
    /// Uniform, with variance 1 / inputs.
    static void fill(parameter& p, random_source& random, int inputs) {
        for (float& v : p.value) v = (2 * random.uniform() - 1) * std::sqrt(3.0f / float(inputs));
    }
};

}  // namespace demo

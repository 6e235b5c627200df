// Random steps of optimizers against the textbook in double precision.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fade/optimizer.hpp>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace fade::test {

inline std::mt19937& steps_random() {
    static std::mt19937 g = [] {
        const char* given = std::getenv("OPTIMIZER_SEED");
        const unsigned seed = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        MESSAGE("OPTIMIZER_SEED=" << seed);
        return std::mt19937(seed);
    }();
    return g;
}
template <class... T>
auto one_of(T... values) {
    const std::common_type_t<T...> all[] = {values...};
    return all[std::uniform_int_distribution<std::size_t>(0, sizeof...(T) - 1)(steps_random())];
}

/// A list of T that begins anywhere, between poison that must stay.
template <class T>
class guarded_list {
public:
    explicit guarded_list(index count)
        : count_(count), first_(one_of(0, 0, 4, 1, 3)), all_(std::size_t(count + first_ + 5)) {
        std::memset(static_cast<void*>(all_.data()), poison, all_.size() * sizeof(T));
    }
    void fill(double deviation, double mean = 0) {
        std::normal_distribution<float> normal{float(mean), float(deviation)};
        for (index i = 0; i < count_; ++i) data()[i] = convert<T>(normal(steps_random()));
    }
    T* data() { return all_.data() + first_; }
    std::vector<double> values() {
        std::vector<double> out;
        for (index i = 0; i < count_; ++i) out.push_back(double(convert<float>(data()[i])));
        return out;
    }
    /// Is what lies around the list as it was?
    bool is_guarded() {
        const auto* bytes = reinterpret_cast<const unsigned char*>(all_.data());
        const std::size_t begin = std::size_t(first_) * sizeof(T),
                          end = begin + std::size_t(count_) * sizeof(T);
        for (std::size_t i = 0; i < all_.size() * sizeof(T); ++i)
            if ((i < begin || i >= end) && bytes[i] != poison) return false;
        return true;
    }

private:
    static constexpr unsigned char poison = 0xa7;
    index count_;
    int first_;
    std::vector<T> all_;
};

inline double norm_of(const std::vector<double>& a) {
    double squares = 0;
    for (const double x : a) squares += x * x;
    return std::sqrt(squares);
}
/// ||a - b||
inline double distance(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
    return norm_of(a);
}
template <class T>
double rounding_of() {
    return std::is_same_v<T, float> ? 0x1p-24 : std::is_same_v<T, f16> ? 0x1p-11 : 0x1p-8;
}

/// Each number is made of a few, by f32 operations that are rounded once: relative to all of those, since a
/// sum may cancel.
constexpr double step_bound = 5e-7;

/// What a step leaves, and the reference; a skipped one leaves what was there.
template <class Gradient, class Copy>
struct step_trial {
    index count = one_of<index>(0, 1, 3, 7, 64, 1000, 1028, 5003);
    guarded_list<Gradient> gradient{count};
    guarded_list<float> w{count}, first{count}, second{count};
    guarded_list<Copy> copy{count};
    double scale = one_of(1.0, 1024.0, 3.0), decay = one_of(0.0, 0.01, 0.3), rate = one_of(0.0, 0.01, 0.5);
    double size_before = 0;
    /// Where a GPU reaches it, too.
    std::unique_ptr<float> nonfinite = std::make_unique<float>(one_of(0.0f, 0.0f, 1.0f));
    bool asks = one_of(0, 1) == 1, copies = one_of(0, 1, 1) == 1;

    step_trial() {
        gradient.fill(scale), w.fill(1), first.fill(0.5);
        second.fill(0.1, 1);
        for (index i = 0; i < count; ++i) second.data()[i] = std::fabs(second.data()[i]);
        size_before = norm_of(w.values()) + norm_of(first.values()) + norm_of(second.values());
    }
    bool is_skipped() const { return asks && *nonfinite != 0; }
    const float* flag() const { return asks ? nonfinite.get() : nullptr; }
    Copy* copy_to() { return copies ? copy.data() : nullptr; }

    void check(const std::vector<double>& w_wanted, const std::vector<double>& first_wanted,
               const std::vector<double>& second_wanted) {
        CAPTURE(count);
        CAPTURE(scale);
        CAPTURE(decay);
        CAPTURE(rate);
        CAPTURE(is_skipped());
        CHECK(distance(w.values(), w_wanted) <= step_bound * (size_before + norm_of(w_wanted)));
        CHECK(distance(first.values(), first_wanted) <= step_bound * (size_before + norm_of(first_wanted)));
        CHECK(distance(second.values(), second_wanted) <=
              step_bound * (size_before + norm_of(second_wanted)));
        if (copies && !is_skipped())
            CHECK(distance(copy.values(), w.values()) <= rounding_of<Copy>() * norm_of(w.values()));
        CHECK((w.is_guarded() && first.is_guarded() && second.is_guarded() && copy.is_guarded()));
        if (count > 0 && (!copies || is_skipped()))
            CHECK(reinterpret_cast<const unsigned char*>(copy.data())[0] == 0xa7);
    }
};

template <class Gradient, class Copy, class Device>
void try_sgd(Device& device) {
    step_trial<Gradient, Copy> t;
    const double momentum = one_of(0.0, 0.5, 0.9);
    const bool nesterov = momentum > 0 && one_of(0, 1) == 1;
    std::vector<double> w = t.w.values(), v = t.first.values();
    const std::vector<double> g = t.gradient.values(), second = t.second.values();
    for (std::size_t i = 0; i < w.size() && !t.is_skipped(); ++i) {
        const double slope = g[i] / t.scale + t.decay * w[i];
        const double speed = momentum > 0 ? momentum * v[i] + slope : slope;
        if (momentum > 0) v[i] = speed;
        w[i] = w[i] - t.rate * (nesterov ? slope + momentum * speed : speed);
    }
    sgd_step<Gradient, Copy>(device,
                             {.count = t.count,
                              .rate = t.rate,
                              .momentum = momentum,
                              .weight_decay = t.decay,
                              .nesterov = nesterov,
                              .loss_scale = t.scale},
                             {.gradient = t.gradient.data(),
                              .master = t.w.data(),
                              .velocity = momentum > 0 ? t.first.data() : nullptr,
                              .copy = t.copy_to(),
                              .nonfinite = t.flag()});
    CAPTURE(momentum);
    CAPTURE(nesterov);
    t.check(w, v, second);
}

template <class Gradient, class Copy, class Device>
void try_adamw(Device& device) {
    step_trial<Gradient, Copy> t;
    const index step = one_of<index>(1, 2, 10, 5000);
    const double beta1 = one_of(0.0, 0.9), beta2 = one_of(0.5, 0.999), epsilon = one_of(1e-8, 0.1);
    std::vector<double> w = t.w.values(), m = t.first.values(), v = t.second.values();
    const std::vector<double> g = t.gradient.values();
    for (std::size_t i = 0; i < w.size() && !t.is_skipped(); ++i) {
        const double slope = g[i] / t.scale;
        m[i] = slope + beta1 * (m[i] - slope);
        v[i] = slope * slope + beta2 * (v[i] - slope * slope);
        const double m_hat = m[i] / (1 - std::pow(beta1, step)), v_hat = v[i] / (1 - std::pow(beta2, step));
        w[i] -= t.rate * (m_hat / (std::sqrt(v_hat) + epsilon) + t.decay * w[i]);
    }
    adamw_step<Gradient, Copy>(device,
                               {.count = t.count,
                                .rate = t.rate,
                                .beta1 = beta1,
                                .beta2 = beta2,
                                .epsilon = epsilon,
                                .weight_decay = t.decay,
                                .step = step,
                                .loss_scale = t.scale},
                               {.gradient = t.gradient.data(),
                                .master = t.w.data(),
                                .first_moment = t.first.data(),
                                .second_moment = t.second.data(),
                                .copy = t.copy_to(),
                                .nonfinite = t.flag()});
    CAPTURE(step);
    CAPTURE(beta1);
    CAPTURE(beta2);
    CAPTURE(epsilon);
    t.check(w, m, v);
}

/// Gradients of which one, somewhere, is not finite, or none is.
template <class T, class Device>
void try_nonfinite(Device& device) {
    const index count = one_of<index>(0, 1, 100, 20'000, 50'001);
    guarded_list<T> gradient(count);
    gradient.fill(1);
    const float largest = std::is_same_v<T, f16> ? 65504.0f : 3e38f;
    const float put =
        one_of(largest, -largest, std::numeric_limits<float>::infinity(),
               -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN());
    if (count > 0) gradient.data()[one_of<index>(0, count / 2, count - 1)] = convert<T>(put);
    const auto found = std::make_unique<float>(one_of(0.0f, 1.0f, 5.0f));
    find_nonfinite<T>(device, count, gradient.data(), found.get());
    CAPTURE(count);
    CAPTURE(put);
    CHECK(*found == (count > 0 && !std::isfinite(put) ? 1.0f : 0.0f));
}

template <class Gradient, class Copy, class Device>
void optimizer_suite(Device& device, int times) {
    for (int i = 0; i < times; ++i) {
        try_sgd<Gradient, Copy>(device), try_adamw<Gradient, Copy>(device);
        try_nonfinite<Gradient>(device);
    }
}

}  // namespace fade::test

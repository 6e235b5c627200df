// Runs batch normalisation of one problem, its gradient and inference, and says what is wrong with them:
// against loops over channels in double precision.
#pragma once
#include "common/image_case.hpp"
#include <fade/batch_norm.hpp>

namespace fade::test {

struct batch_norm_case {
    batch_norm_problem problem;
    double middle = 0;  // of x: far from 0 the variance must not drown
    bool plain = false, in_place = false;
    int shift = 0;
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const batch_norm_case& c) {
    const batch_norm_problem& p = c.problem;
    return to << "batch " << p.batch << " channels " << p.channels << " size " << p.size.d << 'x' << p.size.h
              << 'x' << p.size.w << (p.layout == conv_layout::channels_first ? " channels first" : "")
              << " epsilon " << p.epsilon << " momentum " << p.momentum << " middle " << c.middle
              << (c.plain ? " plain" : "") << (c.in_place ? " in place" : "") << " shift " << c.shift
              << " seed " << c.seed;
}

inline batch_norm_case random_batch_norm_case(std::mt19937_64& random) {
    image_draw draw{random};
    random();
    batch_norm_case c;
    batch_norm_problem& p = c.problem;
    p.batch = draw.of(1, 4), p.channels = draw.coin() ? 8 * draw.of(1, 4) : draw.of(1, 20);
    p.size = {draw.of(0, 3) ? 1 : draw.of(1, 3), draw.of(1, 9), draw.of(2, 9)};
    if (draw.coin()) p.layout = conv_layout::channels_first;
    p.epsilon = draw.coin() ? 1e-5 : 0.01, p.momentum = draw.coin() ? 0.1 : 0.75;
    c.middle = draw.of(0, 2) ? 0 : 30, c.plain = draw.of(0, 3) == 0, c.in_place = draw.coin();
    c.shift = draw.of(0, 3) ? 0 : 1, c.seed = draw.random();
    return c;
}

template <class Arch, class T>
class batch_norm_trial {
    using vector = std::vector<float>;

public:
    explicit batch_norm_trial(const batch_norm_case& c)
        : c_(c), p_(c.problem), channels_(std::size_t(p_.channels)),
          count_(std::size_t(p_.batch * p_.channels * p_.size.volume())), x_(count_, c.shift),
          dy_(count_, c.shift), y_(count_, c.shift), dx_(count_, c.shift), weight_(channels_),
          bias_(channels_), mean_(channels_, 7), root_(channels_, 7), running_mean_(channels_),
          running_variance_(channels_) {
        std::mt19937_64 random(c.seed);
        x_.fill(random, 1), dy_.fill(random, 1);
        for (std::size_t i = 0; i < count_; ++i) x_[i] = nearest<T>(value_of(x_[i]) + c.middle);
        std::normal_distribution<float> normal;
        for (vector* v : {&weight_, &bias_, &running_mean_, &running_variance_})
            for (float& f : *v) f = normal(random);
        for (float& f : running_variance_) f = std::fabs(f) + 0.1f;
    }

    std::string run() {
        auto device = device_of<Arch>(2, 64);
        const float *weight = c_.plain ? nullptr : weight_.data(), *bias = c_.plain ? nullptr : bias_.data();
        const vector old_mean = running_mean_, old_variance = running_variance_;
        std::string wrong;
        try {
            if (c_.in_place)
                for (std::size_t i = 0; i < count_; ++i) y_[i] = x_[i], dx_[i] = dy_[i];
            batch_norm_inference<T>(device, p_,
                                    {c_.in_place ? y_.data() : x_.data(), y_.data(), weight, bias,
                                     running_mean_.data(), running_variance_.data()});
            wrong += image_difference("inference", y_, normalized(widened(old_mean), widened(old_variance)));
            if (c_.in_place)
                for (std::size_t i = 0; i < count_; ++i) y_[i] = x_[i];
            batch_norm<T>(device, p_,
                          {c_.in_place ? y_.data() : x_.data(), y_.data(), weight, bias, mean_.data(),
                           root_.data(), running_mean_.data(), running_variance_.data()});
            statistics();
            wrong += image_difference("training", y_, normalized(true_mean_, true_variance_));
            wrong += wrong_vectors(old_mean, old_variance);
            vector dweight(channels_, 7), dbias(channels_, 7);
            batch_norm_gradient<T>(device, p_,
                                   {x_.data(), c_.in_place ? dx_.data() : dy_.data(), weight, mean_.data(),
                                    root_.data(), dx_.data(), dweight.data(), dbias.data()});
            wrong += wrong_gradient(dweight, dbias);
        } catch (const error& e) {
            return wrong + "refused: " + e.what();
        }
        return wrong;
    }

private:
    static std::vector<double> widened(const vector& v) { return {v.begin(), v.end()}; }
    template <class F>
    void each(F f) const {
        each_element(p_.batch, p_.channels, p_.size, [&](index n, int c, const std::array<int, 3>& at) {
            f(image_at(p_.layout, p_.channels, p_.size, n, c, at), std::size_t(c));
        });
    }
    double pixels() const { return double(p_.batch * p_.size.volume()); }
    double weight(std::size_t c) const { return c_.plain ? 1 : double(weight_[c]); }

    void statistics() {
        true_mean_.assign(channels_, 0), true_variance_.assign(channels_, 0);
        each([&](std::size_t i, std::size_t c) { true_mean_[c] += value_of(x_[i]) / pixels(); });
        each([&](std::size_t i, std::size_t c) {
            true_variance_[c] += std::pow(value_of(x_[i]) - true_mean_[c], 2) / pixels();
        });
    }
    std::vector<bounded> normalized(const std::vector<double>& mean, const std::vector<double>& variance) {
        std::vector<bounded> out(count_);
        each([&](std::size_t i, std::size_t c) {
            const double root = std::sqrt(variance[c] + p_.epsilon), x = value_of(x_[i]);
            const double z = (x - mean[c]) / root * weight(c), y = z + (c_.plain ? 0 : double(bias_[c]));
            // The mean is off by a few units of the values, which the root makes larger.
            out[i] = {y, 1e-6 * (std::fabs(y) + std::fabs(z) +
                                 std::fabs(weight(c)) * (std::fabs(mean[c]) + 1) / root)};
        });
        return out;
    }
    std::string wrong_vectors(const vector& old_mean, const vector& old_variance) {
        std::string wrong;
        const auto check = [&](const char* name, double got, double want, double scale) {
            if (!(std::fabs(got - want) <= 2e-5 * scale)) wrong = std::string(name) + " is wrong; ";
        };
        for (std::size_t c = 0; c < channels_; ++c) {
            const double m = true_mean_[c], v = true_variance_[c], share = p_.momentum;
            check("mean", mean_[c], m, std::fabs(m) + 1);
            check("inverse_root", root_[c], 1 / std::sqrt(v + p_.epsilon), 1 / std::sqrt(v + p_.epsilon));
            check("running_mean", running_mean_[c], (1 - share) * old_mean[c] + share * m, std::fabs(m) + 1);
            check("running_variance", running_variance_[c],
                  (1 - share) * old_variance[c] + share * v * pixels() / (pixels() - 1), v + 1);
        }
        return wrong;
    }
    std::string wrong_gradient(const vector& dweight, const vector& dbias) {
        std::vector<double> weights(channels_), biases(channels_), size(channels_);
        const auto z = [&](std::size_t i, std::size_t c) { return (value_of(x_[i]) - mean_[c]) * root_[c]; };
        each([&](std::size_t i, std::size_t c) {
            const double g = value_of(dy_[i]);
            weights[c] += g * z(i, c), biases[c] += g, size[c] += std::fabs(g) * (1 + std::fabs(z(i, c)));
        });
        std::string wrong;
        for (std::size_t c = 0; c < channels_; ++c) {
            if (!(std::fabs(dweight[c] - weights[c]) <= 1e-5 * size[c])) wrong = "dweight is wrong; ";
            if (!(std::fabs(dbias[c] - biases[c]) <= 1e-5 * size[c])) wrong += "dbias is wrong; ";
        }
        std::vector<bounded> dx(count_);
        each([&](std::size_t i, std::size_t c) {
            const double factor = weight(c) * root_[c], along = z(i, c) * weights[c] / pixels(),
                         g = value_of(dy_[i]), plain = biases[c] / pixels();
            dx[i] = {factor * (g - plain - along),
                     1e-5 * std::fabs(factor) *
                         (std::fabs(g) + size[c] / pixels() * (1 + std::fabs(z(i, c))))};
        });
        return wrong.substr(0, 60) + image_difference("dx", dx_, dx);
    }

    batch_norm_case c_;
    batch_norm_problem p_;
    std::size_t channels_, count_;
    guarded<T> x_, dy_, y_, dx_;
    vector weight_, bias_, mean_, root_, running_mean_, running_variance_;
    std::vector<double> true_mean_, true_variance_;
};

/// Folded into a filter: a convolution of one pixel then normalises what it makes.
template <class Arch>
std::string fold_trial(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const int filters = 1 + int(random() % 20), elements = 1 + int(random() % 40);
    std::normal_distribution<float> normal;
    const auto rows = static_cast<std::size_t>(filters);
    std::vector<float> w(rows * std::size_t(elements)), folded(w.size()), bias(rows), weight(rows),
        shift(rows), mean(rows), variance(rows), folded_bias(rows);
    for (auto* v : {&w, &bias, &weight, &shift, &mean, &variance})
        for (float& f : *v) f = normal(random);
    for (float& f : variance) f *= f;
    auto device = device_of<Arch>(2, 64);
    fold_into_filter<float>(device, {filters, elements, 1e-3},
                            {w.data(), folded.data(), bias.data(), folded_bias.data(), weight.data(),
                             shift.data(), mean.data(), variance.data()});
    double off = 0, norm = 0;
    for (std::size_t f = 0; f < bias.size(); ++f) {
        const double s = weight[f] / std::sqrt(variance[f] + 1e-3),
                     b = (double(bias[f]) - mean[f]) * s + shift[f];
        off += std::pow(folded_bias[f] - b, 2), norm += b * b + s * s;
        for (std::size_t i = f * std::size_t(elements); i < (f + 1) * std::size_t(elements); ++i)
            off += std::pow(folded[i] - w[i] * s, 2), norm += std::pow(w[i] * s, 2);
    }
    return off <= 1e-11 * norm ? "" : "a folded filter is wrong";
}

}  // namespace fade::test

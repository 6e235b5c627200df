// The passes of a convolution as what they are to each other: adjoints of one form in x, the filter and dy.
#pragma once
#include "common/conv_trial.hpp"
#include <algorithm>
#include <doctest/doctest.h>

namespace fade::test {

/// a . b in double precision.
inline double inner(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
    return sum;
}

/// <dy, conv(x, w)>, <backward_data(dy, w), x> and <backward_weights(x, dy), w> are one number. No reference
/// is needed: what one pass sees through windows, the others see from elsewhere.
struct conv_adjoint {
    double by_forward = 0, by_data = 0, by_weights = 0;
    double bound = 0;  ///< on the difference of any two

    template <class Arch>
    static conv_adjoint of(const conv_case& c) {
        const conv_problem& p = c.problem;
        const conv_places places{p};
        const auto elements = [](index images, index pixels, index channels) {
            return std::vector<float>(std::size_t(images * pixels * channels), poison<float>());
        };
        std::vector<float> x = elements(p.batch, p.input.volume(), p.channels),
                           w = elements(p.filters, p.filter.volume(), p.channels / p.groups),
                           dy = elements(p.batch, p.output().volume(), p.filters), y = dy, dx = x, dw = w;
        std::mt19937_64 random(c.seed);
        std::normal_distribution<float> normal;
        for (auto* read : {&x, &w, &dy}) std::ranges::generate(*read, [&] { return normal(random); });

        auto device = device_of<Arch>(c.threads, c.compute_units);
        const conv_options options{.split_k = c.split_k, .algorithm = c.algorithm};
        conv_forward<float>(device, p, {.x = x.data(), .w = w.data(), .y = y.data()}, {}, options);
        conv_backward_data<float>(device, p, {.dy = dy.data(), .w = w.data(), .dx = dx.data()}, {}, options);
        conv_backward_weights<float>(device, p, {.x = x.data(), .dy = dy.data(), .dw = dw.data()}, {},
                                     options);
        return {inner(y, dy), inner(dx, x), inner(dw, w), allowed(p, places, x, w, dy)};
    }

    bool holds() const {
        return std::fabs(by_forward - by_data) <= bound && std::fabs(by_forward - by_weights) <= bound;
    }

private:
    /// A sum of k products is off by at most k + 1 units of the sum of their magnitudes (its last rounding
    /// among them), and so is the form: two passes together by the units of both.
    static double allowed(const conv_problem& p, const conv_places& places, const std::vector<float>& x,
                          const std::vector<float>& w, const std::vector<float>& dy) {
        double magnitude = 0;
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            magnitude += std::fabs(double(x[i]) * double(w[f]) * double(dy[o]));
        });
        const index in_window = p.filter.volume() * std::max(p.channels, p.filters) / p.groups,
                    longest = std::max<index>(in_window, p.batch * p.output().volume());
        return double(in_window + longest + 2) * unit_roundoff<float> * magnitude;
    }
};

/// Random problems, of which each must have the same form by all passes.
template <class Arch>
void check_adjoint(int cases, std::uint64_t seed) {
    conv_draw draw(seed);
    for (int i = 0; i < cases; ++i) {
        conv_case c = draw();
        c.problem.alpha = 1, c.problem.beta = 0;
        const conv_adjoint form = conv_adjoint::of<Arch>(c);
        INFO(c);
        INFO("by forward " << form.by_forward << ", by backward data " << form.by_data
                           << ", by backward weights " << form.by_weights << ", bound " << form.bound);
        CHECK(form.holds());
    }
}

}  // namespace fade::test

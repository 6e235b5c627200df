// Forward convolutions of 8 bits, with scales and zero points, against direct loops in whole numbers or in
// double precision that know nothing of products of matrices.
#pragma once
#include "common/conv_suite.hpp"

namespace fade::test {

/// What is wrong with one forward pass; nothing if all is right. The epilogue has a factor and a bias for
/// each filter; results of 8 bits are divided by another.
template <class Arch, class In, class Out>
class quantized_trial {
    static constexpr bool whole = std::is_integral_v<In>;

public:
    quantized_trial(const conv_case& c, bool of_x, bool of_w)
        : case_(c), p_(c.problem), random_(c.seed),
          x_(std::size_t(p_.batch * p_.input.volume() * p_.channels)),
          w_(std::size_t(p_.filter.volume() * (p_.channels / p_.groups) * index(p_.filters))),
          w_zero_(of_w ? std::size_t(p_.filters) : 0), scales_(std::size_t(p_.filters)),
          bias_(scales_.size()), sums_(std::size_t(p_.batch * p_.output().volume() * p_.filters)),
          magnitudes_(sums_.size()) {
        p_.beta = 0, p_.alpha = 1;
        std::normal_distribution<float> normal;
        std::uniform_int_distribution<int> bits(-128, 127);
        for (auto* of : {&x_, &w_})
            for (In& v : *of) v = whole ? nearest<In>(bits(random_)) : nearest<In>(normal(random_));
        if (of_x) x_zero_ = bits(random_);
        for (i32& v : w_zero_) v = bits(random_);
        for (float& v : scales_) v = std::ldexp(1 + std::abs(normal(random_)), whole ? -12 : 0);
        for (float& v : bias_) v = 4 * normal(random_);
        const conv_places places{p_};
        const index pixels = p_.output().volume();
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            const double zero = w_zero_.empty() ? 0 : w_zero_[std::size_t(places.filter(f))],
                         product = (value_of(x_[i]) - x_zero_) * (value_of(w_[f]) - zero);
            sums_[o] += product, magnitudes_[o] += std::fabs(product);
        });
        for (std::size_t o = 0; o < sums_.size(); ++o)
            filters_.push_back(std::size_t(places.channel(o, pixels, p_.filters)));
    }

    std::string run() {
        guarded<Out> y(sums_.size(), 0);
        auto device = conv_device_of<Arch, conv_algorithms{}>(case_.threads, case_.compute_units);
        const conv_operands<In, Out> of{.x = x_.data(),
                                        .w = w_.data(),
                                        .y = y.data(),
                                        .x_zero = x_zero_,
                                        .w_zero = w_zero_.empty() ? nullptr : w_zero_.data()};
        const conv_options options{.split_k = case_.split_k};
        try {
            if constexpr (std::is_same_v<Out, i32>)
                conv_forward<In, Out>(device, p_, of, {}, options);
            else if constexpr (sizeof(Out) == 1)
                conv_forward<In, Out>(device, p_, of,
                                      scale_columns(scales_) | fade::bias(bias_) | quantized(), options);
            else
                conv_forward<In, Out>(device, p_, of, scale_columns(scales_) | fade::bias(bias_), options);
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
        if (y.overrun()) return "something beside the result was written";
        for (std::size_t o = 0; o < sums_.size(); ++o)
            if (const double off = std::fabs(value_of(y[o]) - wanted(o)); !(off <= allowed(o)))
                return "element " + std::to_string(o) + " is off by " + std::to_string(off) +
                       ", and may be by " + std::to_string(allowed(o));
        return "";
    }

private:
    static constexpr float step = 0.75f;
    static constexpr int y_zero = 11;
    static auto quantized() {
        if constexpr (std::is_same_v<Out, i8>)
            return quantize_to<i8>(step, y_zero);
        else
            return quantize_to<Out>(step);
    }
    static double largest() { return decode(format_of<Out>, format_of<Out>.largest()); }
    double real(std::size_t o) const { return sums_[o] * scales_[filters_[o]] + bias_[filters_[o]]; }
    double wanted(std::size_t o) const {
        if constexpr (std::is_same_v<Out, i32>)
            return sums_[o];
        else if constexpr (std::is_same_v<Out, i8>)
            return std::clamp(real(o) / step + y_zero, -128.0, 127.0);
        else if constexpr (sizeof(Out) == 1)
            return std::clamp(real(o) / step, -largest(), largest());
        else
            return real(o);
    }
    /// Sums of whole numbers are exact; f32 keeps 24 bits of what is behind them.
    double allowed(std::size_t o) const {
        if (std::is_same_v<Out, i32>) return 0;
        const double terms = double(p_.filter.volume() * (p_.channels / p_.groups)) + 1,
                     of_sum = whole ? std::fabs(sums_[o]) : terms * magnitudes_[o],
                     real_error = 0x1p-22 * (of_sum * scales_[filters_[o]] + std::fabs(real(o)) +
                                             std::fabs(bias_[filters_[o]]));
        if (std::is_same_v<Out, i8>) return real_error / step + 0.5;
        const double unit = sizeof(Out) == 1 ? 0.126 : std::is_same_v<Out, bf16> ? 0x1p-8 : 0x1p-11;
        return real_error + unit * std::fabs(wanted(o)) + 0x1p-10;
    }

    conv_case case_;
    conv_problem p_;
    std::mt19937_64 random_;
    std::vector<In> x_, w_;
    std::vector<i32> w_zero_;
    int x_zero_ = 0;
    std::vector<float> scales_, bias_;
    std::vector<double> sums_, magnitudes_;
    std::vector<std::size_t> filters_;
};

/// Random problems; of whole numbers with all combinations of zero points.
template <class Arch, class In, class Out>
void quantized_suite(int cases) {
    conv_draw draw(conv_seed());
    for (int i = 0; i < cases; ++i) {
        const conv_case c = draw();
        const bool whole = std::is_integral_v<In>, of_x = whole && i % 4 != 0, of_w = whole && i % 2 == 0;
        INFO(c << " zero points of x " << of_x << " of w " << of_w);
        CHECK(quantized_trial<Arch, In, Out>(c, of_x, of_w).run() == "");
    }
}

}  // namespace fade::test

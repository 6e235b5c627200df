// Runs all passes of one convolution and says what is wrong with them.
#pragma once
#include "common/conv_case.hpp"
#include "common/gemm_check.hpp"
#include <fade/conv.hpp>
#include <set>
#include <sstream>

namespace fade::test {

/// Elements with poisoned ground on both sides.
template <class T>
class guarded {
    static constexpr std::size_t ground = 64;

public:
    guarded(std::size_t count, int shift)
        : first_(ground + std::size_t(shift)), values_(count + 2 * ground + std::size_t(shift), poison<T>()) {
        count_ = count;
    }
    T* data() {
        const auto at = reinterpret_cast<std::uintptr_t>(values_.data()) % 16 / sizeof(T);
        return values_.data() + first_ - at;
    }
    T& operator[](std::size_t i) { return data()[i]; }
    std::size_t size() const { return count_; }
    void fill(std::mt19937_64& random, double deviation) {
        std::normal_distribution<double> normal(0, deviation);
        for (std::size_t i = 0; i < count_; ++i) data()[i] = nearest<T>(normal(random));
    }
    /// Is something beside the elements no poison any more?
    bool overrun() {
        const T* begin = data();
        for (const T& v : values_)
            if ((&v < begin || &v >= begin + count_) && !is_poison(v)) return true;
        return false;
    }

private:
    std::size_t first_, count_ = 0;
    std::vector<T> values_;
};

/// What is wrong with a result; nothing if all is right. A stage of the epilogue adds a bias of the column,
/// then relu; column(i) is that of an element.
template <class Out, class Column>
std::string conv_difference(guarded<Out>& got, const std::vector<conv_sum>& sums, const conv_problem& p,
                            std::vector<Out>& c, std::vector<float>& bias, Column column, double unit) {
    double off = 0, allowed = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        bounded want = times(sums[i].with(unit), p.alpha);
        if (p.beta != 0) want = plus(want, p.beta * value_of(c[i]));
        want = plus(want, bias[std::size_t(column(i))]);
        want.value = std::max(want.value, 0.0);
        want = stored<Out>(want);
        const double d = value_of(got[i]) - want.value;
        off += d * d, allowed += want.error * want.error;
    }
    std::ostringstream said;
    if (got.overrun()) said << "something beside the result was written; ";
    if (!(off <= allowed)) said << "off by " << std::sqrt(off) << ", at most " << std::sqrt(allowed);
    return said.str();
}

/// Names of kernels that were reached, so that cases which reach none of some kind are noticed.
using reached_kernels = std::set<std::string>;

template <class Arch, class In, class Out>
class conv_trial {
    static constexpr double unit = accumulator_unit<In>;

public:
    conv_trial(const conv_case& c, reached_kernels& reached)
        : case_(c), p_(c.problem), reached_(reached), random_(c.seed),
          x_(elements(p_.batch * p_.input.volume() * p_.channels), c.shift),
          w_(elements(p_.filter.volume() * (p_.channels / p_.groups) * index(p_.filters)), 0),
          dy_(elements(p_.batch * p_.output().volume() * p_.filters), c.shift) {
        x_.fill(random_, 1), w_.fill(random_, 0.5), dy_.fill(random_, 1);
    }

    /// What is wrong with any pass.
    std::string run() {
        std::vector<conv_sum> y(dy_.size()), dx(x_.size()), dw(w_.size());
        const conv_places places{p_};
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            const double x = value_of(x_[i]), w = value_of(w_[f]), g = value_of(dy_[o]);
            y[o].add(x * w), dx[i].add(g * w), dw[f].add(g * x);
        });
        const int taps = int(p_.filter.volume()) * (p_.channels / p_.groups);
        const auto of_y = [&](std::size_t i) { return places.channel(i, p_.output().volume(), p_.filters); };
        const auto of_x = [&](std::size_t i) { return places.channel(i, p_.input.volume(), p_.channels); };
        const auto of_w = [&](std::size_t i) { return places.tap_channel(i); };
        std::string wrong;
        wrong += pass("forward", y, p_.filters, of_y, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
            return conv_forward<In, Out>(d, p_, {.x = x_.data(), .w = w_.data(), .c = c, .y = to}, e, o);
        });
        wrong +=
            pass("backward data", dx, p_.channels, of_x, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
                return conv_backward_data<In, Out>(
                    d, p_, {.dy = dy_.data(), .w = w_.data(), .c = c, .dx = to}, e, o);
            });
        wrong +=
            pass("backward weights", dw, taps, of_w, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
                return conv_backward_weights<In, Out>(
                    d, p_, {.x = x_.data(), .dy = dy_.data(), .c = c, .dw = to}, e, o);
            });
        return wrong;
    }

private:
    static std::size_t elements(index n) { return std::size_t(n); }

    template <class Column, class Call>
    std::string pass(const char* name, const std::vector<conv_sum>& sums, int columns, Column column,
                     Call call) {
        guarded<Out> first(sums.size(), 0), second(sums.size(), 0);
        std::vector<Out> c(p_.beta != 0 ? sums.size() : 0);
        std::vector<float> bias(static_cast<std::size_t>(columns));
        std::normal_distribution<double> normal;
        for (Out& v : c) v = nearest<Out>(normal(random_));
        for (float& v : bias) v = float(normal(random_));
        const auto epilogue = fade::bias(bias.data()) | relu();
        for (auto* to : {&first, &second}) {
            auto device =
                device_of<Arch>(to == &first ? case_.threads : case_.threads % 3 + 1, case_.compute_units);
            try {
                const report r = call(device, c.data(), to->data(), epilogue,
                                      conv_options{.split_k = case_.split_k, .algorithm = case_.algorithm});
                reached_.insert(std::string(name) + " " + r.chosen.substr(0, r.chosen.find(',')) +
                                (r.chosen.find("residues") == std::string::npos ? "" : " residues"));
            } catch (const error& e) {
                return std::string(name) + " refused: " + e.what();
            }
        }
        std::string wrong = conv_difference(first, sums, p_, c, bias, column, unit);
        for (std::size_t i = 0; i < first.size() && wrong.empty(); ++i)
            if (std::memcmp(&first[i], &second[i], sizeof(Out)) != 0) wrong = "two runs give different bits";
        return wrong.empty() ? "" : std::string(name) + ": " + wrong + "; ";
    }

    conv_case case_;
    conv_problem p_;
    reached_kernels& reached_;
    std::mt19937_64 random_;
    guarded<In> x_, w_, dy_;
};

}  // namespace fade::test

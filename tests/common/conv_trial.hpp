// Runs all passes of one convolution and says what is wrong with them.
#pragma once
#include "common/conv_case.hpp"
#include "common/fft_bound.hpp"
#include "common/gemm_check.hpp"
#include "common/some_conv_kernels.hpp"
#include "common/stages.hpp"
#include "common/winograd_bound.hpp"
#include <fade/conv.hpp>
#include <memory>
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

/// Which row and which column of an epilogue an element is.
struct epilogue_place {
    std::size_t row, column;
};

/// What the stages of an epilogue add; and what activations saw, of the result's shape with channels last,
/// where the epilogue ends in their gradients.
template <class Out>
struct conv_sources {
    std::vector<float> of_columns, of_rows;
    std::vector<Out> seen;
};

/// What is wrong with a result; nothing if all is right. Stages add the biases of column and row, then comes
/// relu, or the gradients of three activations; place(i) is that of an element.
template <class Out, class Place>
std::string conv_difference(guarded<Out>& got, const std::vector<conv_sum>& sums, const conv_problem& p,
                            std::vector<Out>& c, const conv_sources<Out>& from, Place place, double unit) {
    double off = 0, allowed = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        bounded sum = sums[i].with(unit);
        if (unit == 0) sum.unit = unit_roundoff<float>;  // whole numbers are summed exactly, stages are f32
        bounded want = times(sum, p.alpha);
        if (p.beta != 0) want = plus(want, p.beta * value_of(c[i]));
        const epilogue_place at = place(i);
        want = plus(plus(want, from.of_columns[at.column]), from.of_rows[at.row]);
        if (from.seen.empty())
            want.value = std::max(want.value, 0.0);
        else
            for (const stage_kind k : {stage_kind::drelu, stage_kind::dgelu, stage_kind::dsilu})
                want = apply_stage(k, want, value_of(from.seen[at.row * from.of_columns.size() + at.column]),
                                   0, 0);
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

/// `Algorithms` are compiled beside those that automatic takes.
template <class Arch, class In, class Out, conv_algorithms Algorithms = conv_algorithms{}>
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
        const std::vector<double> x = values_of(x_), w = values_of(w_), g = values_of(dy_);
        places.each_product([&](std::size_t i, std::size_t f, std::size_t o) {
            y[o].add(x[i] * w[f]), dx[i].add(g[o] * w[f]), dw[f].add(g[o] * x[i]);
        });
        if (is_winograd(case_.algorithm)) widen_by_winograd(y, dx, dw);
        if (case_.algorithm == conv_algorithm::fft) widen_by_fft(y, dx, dw);
        const int taps = int(p_.filter.volume()) * (p_.channels / p_.groups);
        const auto of_images = [&](index pixels, int channels) {
            return [=](std::size_t i) {
                return epilogue_place{std::size_t(places.pixel(i, pixels, channels)),
                                      std::size_t(places.channel(i, pixels, channels))};
            };
        };
        const auto of_y = of_images(p_.output().volume(), p_.filters),
                   of_x = of_images(p_.input.volume(), p_.channels);
        const auto of_w = [&](std::size_t i) {
            return epilogue_place{std::size_t(places.filter(i)), std::size_t(places.tap_channel(i))};
        };
        std::string wrong;
        wrong += pass("forward", y, p_.filters, of_y, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
            const conv_operands<In, Out> of{.x = x_.data(), .w = w_.data(), .c = c, .y = to};
            fit_workspace(o, [&] { return plan_conv_forward<In, Out, Algorithms>(d, p_, of, e, o); });
            return conv_forward<In, Out, Algorithms>(d, p_, of, e, o);
        });
        if (case_.algorithm != conv_algorithm::mec)
            wrong += pass<true>(
                "backward data", dx, p_.channels, of_x, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
                    const conv_data_operands<In, Out> of{.dy = dy_.data(), .w = w_.data(), .c = c, .dx = to};
                    fit_workspace(
                        o, [&] { return plan_conv_backward_data<In, Out, Algorithms>(d, p_, of, e, o); });
                    return conv_backward_data<In, Out, Algorithms>(d, p_, of, e, o);
                });
        wrong +=
            pass("backward weights", dw, taps, of_w, [&](auto& d, const Out* c, Out* to, auto e, auto o) {
                db_ = guarded<Out>(sums_bias ? std::size_t(p_.filters) : 0, case_.shift);
                const conv_weights_operands<In, Out> of{.x = x_.data(),
                                                        .dy = dy_.data(),
                                                        .c = c,
                                                        .dw = to,
                                                        .db = sums_bias ? db_.data() : nullptr};
                fit_workspace(
                    o, [&] { return plan_conv_backward_weights<In, Out, Algorithms>(d, p_, of, e, o); });
                const report said = conv_backward_weights<In, Out, Algorithms>(d, p_, of, e, o);
                wrong += wrong_bias(places, said);
                return said;
            });
        return wrong;
    }

private:
    /// Of these types backward weights makes the bias's gradient, too.
    static constexpr bool sums_bias = kernel::is_row_float<In> && kernel::is_row_float<Out>;

    static std::size_t elements(index n) { return std::size_t(n); }

    /// Decoded once: each element is in many products.
    static std::vector<double> values_of(guarded<In>& of) {
        std::vector<double> values(of.size());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(of[i]);
        return values;
    }

    /// What is wrong with the gradient of the bias: each value by itself, whatever alpha, beta and epilogue.
    std::string wrong_bias(const conv_places& places, const report& said) {
        std::vector<conv_sum> sums(db_.size());
        for (std::size_t i = 0; i < dy_.size() && sums_bias; ++i)
            sums[std::size_t(places.channel(i, places.out.volume(), p_.filters))].add(value_of(dy_[i]));
        for (std::size_t f = 0; f < sums.size(); ++f) {
            const bounded want = stored<Out>(sums[f].with(unit));
            if (!(std::fabs(value_of(db_[f]) - want.value) <= want.error))
                return "db[" + std::to_string(f) + "] is " + std::to_string(value_of(db_[f])) + ", not " +
                       std::to_string(want.value) + " (" + said.why + "); ";
        }
        return db_.overrun() ? "something beside db was written; " : "";
    }

    static auto magnitude(guarded<In>& of) {
        return [&of](std::size_t i) { return std::fabs(value_of(of[i])); };
    }
    void widen_by_winograd(std::vector<conv_sum>& y, std::vector<conv_sum>& dx, std::vector<conv_sum>& dw) {
        winograd_bound(p_, case_.algorithm, false).widen(y, magnitude(x_), magnitude(w_));
        winograd_bound(p_, case_.algorithm, true).widen(dx, magnitude(dy_), magnitude(w_));
        winograd_bound(p_, case_.algorithm, false).widen_weights(dw, magnitude(x_), magnitude(dy_));
    }
    void widen_by_fft(std::vector<conv_sum>& y, std::vector<conv_sum>& dx, std::vector<conv_sum>& dw) {
        fft_bound(p_, conv_pass::forward).widen(y, magnitude(x_), magnitude(w_));
        fft_bound(p_, conv_pass::backward_data).widen(dx, magnitude(dy_), magnitude(w_));
        fft_bound(p_, conv_pass::backward_weights).widen(dw, magnitude(x_), magnitude(dy_));
    }

    /// A plan that is given too little says what it cannot do without; nothing is run in more.
    template <class Plan>
    void fit_workspace(conv_options& options, Plan plan) {
        if constexpr (Algorithms != conv_algorithms{})
            if (case_.least_workspace) {
                std::byte nothing{};
                options.workspace = &nothing, options.workspace_bytes = 1;
                workspace_ = std::make_unique<guarded<float>>(plan().workspace_bytes / sizeof(float), 0);
                options.workspace = workspace_->data();
                options.workspace_bytes = workspace_->size() * sizeof(float);
            }
    }

    /// Backward data ends in the gradients of activations.
    template <bool Gradients = false, class Place, class Call>
    std::string pass(const char* name, const std::vector<conv_sum>& sums, int columns, Place place,
                     Call call) {
        // The host's threads are its compute units, which decide how k is shared where nobody else does: only
        // the same number gives the same bits then, and another one the same numbers.
        const bool threads_share = std::is_same_v<Arch, arch::host> && case_.split_k == 0;
        guarded<Out> first(sums.size(), 0), second(sums.size(), 0), other(sums.size(), 0);
        std::vector<Out> c(p_.beta != 0 ? sums.size() : 0);
        conv_sources<Out> from{std::vector<float>(std::size_t(columns)),
                               std::vector<float>(sums.size() / std::size_t(columns)),
                               std::vector<Out>(Gradients ? sums.size() : 0)};
        std::normal_distribution<double> normal;
        for (auto* of : {&c, &from.seen})
            for (Out& v : *of) v = nearest<Out>(normal(random_));
        for (auto* of : {&from.of_columns, &from.of_rows})
            for (float& v : *of) v = float(normal(random_));
        const auto epilogue = [&] {
            const auto biases = fade::bias(from.of_columns) | bias_col(from.of_rows);
            if constexpr (Gradients)
                return biases | drelu(from.seen) | dgelu(from.seen) | dsilu(from.seen);
            else
                return biases | relu();
        }();
        for (auto* to : {&first, &second, &other}) {
            if (to == &other && !threads_share) continue;
            const bool same_threads = to == &first || (to == &second && threads_share);
            auto device = conv_device_of<Arch, Algorithms>(
                same_threads ? case_.threads : case_.threads % 3 + 1, case_.compute_units);
            try {
                const report r = call(device, c.data(), to->data(), epilogue,
                                      conv_options{.split_k = case_.split_k, .algorithm = case_.algorithm});
                const auto by = r.chosen.find("by residues, ");
                const auto end = r.chosen.find(',', by == std::string::npos ? 0 : r.chosen.find(',') + 1);
                reached_.insert(std::string(name) + " " + r.chosen.substr(0, end));
            } catch (const error& e) {
                return std::string(name) + " refused: " + e.what();
            }
        }
        std::string wrong = conv_difference(first, sums, p_, c, from, place, unit);
        if (threads_share) wrong += conv_difference(other, sums, p_, c, from, place, unit);
        if (workspace_ && workspace_->overrun()) wrong += "something beside the workspace was written; ";
        for (std::size_t i = 0; i < first.size() && wrong.empty(); ++i)
            if (std::memcmp(&first[i], &second[i], sizeof(Out)) != 0) wrong = "two runs give different bits";
        return wrong.empty() ? "" : std::string(name) + ": " + wrong + "; ";
    }

    conv_case case_;
    conv_problem p_;
    reached_kernels& reached_;
    std::mt19937_64 random_;
    guarded<In> x_, w_, dy_;
    guarded<Out> db_{0, 0};
    std::unique_ptr<guarded<float>> workspace_;
};

}  // namespace fade::test

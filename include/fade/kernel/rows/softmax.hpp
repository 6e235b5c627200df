// Softmax, its logarithm, and their gradients, a row at a time.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// y = exp(x - max) / sum, or its logarithm.
template <class In, class Out, bool Logarithm>
struct softmax_rows {
    row_tensor<const In> x;
    row_tensor<Out> y;

    static constexpr int operands = 1, element_bytes = sizeof(In), rows_of_wave = 2;
    static constexpr bool stages = true;
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        if constexpr (!Logarithm && requires { Row::kept_columns; }) {
            float kept[Row::kept_columns];
            if (row.columns() <= Row::kept_columns) return write_exponentials(row, in, {kept, 0});
            if constexpr (std::is_same_v<Out, float>) return write_exponentials(row, in, y);
        }
        const auto n = row.normalizer(in);
        if constexpr (Logarithm) {
            const float log_sum = Row::log(n.sum);
            row.write_normal(y, [&](float logit) FADE_LAMBDA { return logit - n.largest - log_sum; }, in);
        } else {
            const float inverse = 1 / n.sum;
            row.write(
                y, [&](float logit) FADE_LAMBDA { return Row::exp_below(logit - n.largest) * inverse; }, in);
        }
    }

private:
    /// Where exponentials are dearer than to store them, to y or elsewhere, and read them again.
    template <class Row, class Operand>
    FADE_FN void write_exponentials(Row& row, const Operand& in, const row_tensor<float>& to) const {
        const float inverse = 1 / row.write_exponentials(to, in);
        const auto written = row.read(row_tensor<const float>{to.data, to.stride});
        row.write_normal(y, [&](float e) FADE_LAMBDA { return e * inverse; }, written);
    }
};

/// dx = y (dy - sum(y dy)); of the logarithm, dx = dy - exp(y) sum(dy).
template <class In, class Out, bool Logarithm>
struct softmax_gradient_rows {
    row_tensor<const In> y, dy;
    row_tensor<Out> dx;

    static constexpr int operands = 2, element_bytes = sizeof(In);
    static constexpr bool stages = true;
    template <class F>
    void each_tensor(F f) const {
        f("y", y), f("dy", dy), f("dx", dx);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto out = row.read(y), gradient = row.read(dy);
        if constexpr (Logarithm) {
            const float all = row.sum([](float slope) FADE_LAMBDA { return slope; }, gradient);
            row.write(
                dx, [&](float value, float slope) FADE_LAMBDA { return slope - Row::exp(value) * all; }, out,
                gradient);
        } else {
            const float all =
                row.sum([](float value, float slope) FADE_LAMBDA { return value * slope; }, out, gradient);
            row.write(
                dx, [&](float value, float slope) FADE_LAMBDA { return value * (slope - all); }, out,
                gradient);
        }
    }
};

}  // namespace FADE_NAMESPACE::kernel

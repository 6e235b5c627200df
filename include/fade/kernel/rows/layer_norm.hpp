// Layer normalisation and its gradient, a row at a time.
// Ba, Kiros and Hinton, "Layer Normalization" (2016).
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/kernel/rows/narrow_rows.hpp>
#include <fade/kernel/rows/norm_gradient.hpp>

namespace FADE_NAMESPACE::kernel {

/// y = (h - mean(h)) / sqrt(variance(h) + epsilon) * weight + bias, h being x + residual.
template <class In, class Out, class Weight>
struct layer_norm_rows {
    row_tensor<const In> x, residual;
    row_tensor<In> sum;  ///< h
    row_tensor<const Weight> weight, bias;
    row_tensor<Out> y;
    float* scales;               ///< of rows of an 8-bit y
    float *mean, *inverse_root;  ///< of each row, for the gradient
    float epsilon;

    static constexpr int operands = 1, element_bytes = sizeof(In), rows_of_wave = 2;
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("residual", residual, true), f("sum", sum, true);
        f("weight", weight, true), f("bias", bias, true), f("y", y);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto h = row.read_sum(x, residual, sum);
        const auto w = row.read_late(weight, 1), b = row.read_late(bias);
        const auto found = row.moments(h);
        const float middle = found.mean;
        const float inverse = 1 / __builtin_sqrtf(found.squares / float(row.columns()) + epsilon);
        const auto normal = [&](float z, float factor, float added)
                                FADE_LAMBDA { return (z - middle) * inverse * factor + added; };
        write_rows(row, y, scales, normal, h, w, b);
        row.put(mean, middle), row.put(inverse_root, inverse);  // behind the row: ptxas spills a word else
    }
};

/// dx = (g - mean(g) - z mean(g z)) / root, g being dy * weight and z being (h - mean) / root; plus what
/// reaches h from elsewhere.
template <class In, class Gradient, class Weight>
struct layer_norm_gradient_rows {
    row_tensor<const In> h;
    row_tensor<const Gradient> dy, dsum;  ///< dsum: the gradient of the stored sum
    row_tensor<const Weight> weight;
    row_tensor<Gradient> dx;
    const float *mean, *inverse_root;

    static constexpr int operands = 2, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("h", h), f("dy", dy), f("dsum", dsum, true), f("weight", weight, true), f("dx", dx);
    }

    /// What stands for a weight that is left out.
    FADE_FN static float no_weight() { return 1; }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        (*this)(row, row.read_late(weight, no_weight()));
    }
    /// Sums of columns, where given, are those of the gradients of weights and biases.
    template <class Row, class Weights, class... Sums>
    FADE_FN void operator()(Row& row, const Weights& w, Sums&... sums) const {
        const auto in = row.read(h), out = row.read(dy);
        if constexpr (sizeof...(Sums) > 0) row.ask_for_next(h), row.ask_for_next(dy);
        const float inverse = row.get(inverse_root), middle = row.get(mean) * inverse;
        const auto slopes = [](float, float slope, float factor) FADE_LAMBDA { return slope * factor; };
        const auto products = [&](float x, float slope, float factor)
                                  FADE_LAMBDA { return slope * factor * (x * inverse - middle); };
        const auto all = row.sums(slopes, products, in, out, w);
        const float share = 1 / float(row.columns()) * inverse, plain = all.first * share,
                    along = all.second * share;
        const auto gradient = [&](float x, float slope, float factor, auto... more) FADE_LAMBDA {
            [[maybe_unused]] const float own =
                slope * factor * inverse - plain - (x * inverse - middle) * along;
            return (own + ... + more);
        };
        const auto weights = [&](float x, float slope, auto...) FADE_LAMBDA {
            return norm_gradients{slope * (x * inverse - middle), slope};
        };
        write_norm_gradient(row, *this, gradient, weights, in, out, w, sums...);
    }
};

}  // namespace FADE_NAMESPACE::kernel

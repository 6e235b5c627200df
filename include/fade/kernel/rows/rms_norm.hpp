// Root mean square normalisation and its gradient, a row at a time.
// Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/kernel/rows/narrow_rows.hpp>
#include <fade/kernel/rows/norm_gradient.hpp>

namespace FADE_NAMESPACE::kernel {

/// y = h / sqrt(mean(h^2) + epsilon) * weight, h being x + residual.
template <class In, class Out, class Weight>
struct rms_norm_rows {
    row_tensor<const In> x, residual;
    row_tensor<In> sum;  ///< h
    row_tensor<const Weight> weight;
    row_tensor<Out> y;
    float* scales;        ///< of rows of an 8-bit y
    float* inverse_root;  ///< 1 / sqrt(mean + epsilon) of each row, for the gradient
    float epsilon, weight_offset;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("residual", residual, true), f("sum", sum, true), f("weight", weight, true), f("y", y);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto h = row.read_sum(x, residual, sum);
        const auto w = row.read_late(weight, 1 - weight_offset);
        const float squares = row.sum([](float z) FADE_LAMBDA { return z * z; }, h);
        const float inverse = 1 / __builtin_sqrtf(squares / float(row.columns()) + epsilon);
        row.put(inverse_root, inverse);
        const float offset = weight_offset;  // what is written may not be it
        const auto normal = [&](float z, float factor)
                                FADE_LAMBDA { return z * inverse * (factor + offset); };
        write_rows(row, y, scales, normal, h, w);
    }
};

/// dx = (g - z mean(g z)) / root, g being dy * weight and z being h / root; plus what reaches h from
/// elsewhere.
template <class In, class Gradient, class Weight>
struct rms_norm_gradient_rows {
    row_tensor<const In> h;
    row_tensor<const Gradient> dy, dsum;  ///< dsum: the gradient of the stored sum
    row_tensor<const Weight> weight;
    row_tensor<Gradient> dx;
    const float* inverse_root;
    float weight_offset;

    static constexpr int operands = 2, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("h", h), f("dy", dy), f("dsum", dsum, true), f("weight", weight, true), f("dx", dx);
    }

    /// What stands for a weight that is left out.
    FADE_FN float no_weight() const { return 1 - weight_offset; }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        (*this)(row, row.read_late(weight, no_weight()));
    }
    /// Sums of columns, where given, are those of the gradients of weights and biases.
    template <class Row, class Weights, class... Sums>
    FADE_FN void operator()(Row& row, const Weights& w, Sums&... sums) const {
        const auto in = row.read(h), out = row.read(dy);
        if constexpr (sizeof...(Sums) > 0) row.ask_for_next(h), row.ask_for_next(dy);
        const float inverse = row.get(inverse_root);
        const auto product = [&](float x, float slope, float factor)
                                 FADE_LAMBDA { return slope * (factor + weight_offset) * x; };
        const float shared =
            row.sum(product, in, out, w) * inverse * inverse * inverse * (1 / float(row.columns()));
        const auto gradient = [&](float x, float slope, float factor, auto... more) FADE_LAMBDA {
            [[maybe_unused]] const float own = slope * (factor + weight_offset) * inverse - x * shared;
            return (own + ... + more);
        };
        const auto weights = [&](float x, float slope, auto...)
                                 FADE_LAMBDA { return norm_gradients{slope * x * inverse, slope}; };
        write_norm_gradient(row, *this, gradient, weights, in, out, w, sums...);
    }
};

}  // namespace FADE_NAMESPACE::kernel

// The cross entropy of logits and labels, and its gradient: probabilities are never stored.
#pragma once
#include <cstdint>
#include <fade/core/call/row_tensor.hpp>

namespace FADE_NAMESPACE::kernel {

/// What a label asks for: 1 - smoothing at it, and smoothing shared by all columns.
struct label_target {
    float at_label, everywhere;
    FADE_FN label_target(float smoothing, int columns)
        : at_label(1 - smoothing), everywhere(smoothing / float(columns)) {}
};

/// loss = log sum exp(x) - (1 - smoothing) x[label] - smoothing mean(x); 0 where the label is to be ignored.
template <class In>
struct cross_entropy_rows {
    row_tensor<const In> x;
    const int* labels;  ///< of each row; one outside the columns makes the loss a NaN
    float *loss, *log_sum;
    float smoothing;
    int ignored;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    static constexpr bool reads_ahead = true, stages = true;
    static constexpr int rows_of_wave = 4;
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        // Asked for before the row, whose passes hide how long it takes.
        const int label = row.get(labels);
        const bool exists = unsigned(label) < unsigned(row.columns());
        const float at_label = exists ? row.element(x, label) : 0.0f;
        const auto in = row.read(x);
        const auto n = row.normalizer(in);
        const float log_of_sum = n.largest + Row::log(n.sum);
        const label_target target(smoothing, row.columns());
        // Below the largest logit, so that large logits cancel before they are added.
        const auto wanted = [&](column c, float logit) FADE_LAMBDA {
            const float weight = (c.value == label ? target.at_label : 0.0f) + target.everywhere;
            return weight == 0 ? 0.0f
                               : (logit - n.largest) * weight;  // logits of minus infinity are no targets
        };
        const float found = smoothing != 0 ? row.sum(wanted, in) : exists ? at_label - n.largest : 0.0f;
        const float value = Row::log(n.sum) - found;
        // Bits, since a compiler may be told that there is no NaN (-ffast-math).
        const std::uint32_t bits = exists ? __builtin_bit_cast(std::uint32_t, value) : 0x7fc00000u;
        row.put(reinterpret_cast<std::uint32_t*>(loss), label == ignored ? 0u : bits);
        row.put(log_sum, log_of_sum);
    }
};

/// dx = (softmax(x) - what the label asks for) * dloss; 0 where the label is to be ignored.
template <class In, class Gradient>
struct cross_entropy_gradient_rows {
    row_tensor<const In> x;
    row_tensor<Gradient> dx;
    const int* labels;
    const float *log_sum, *dloss;  ///< dloss: of each row; null: 1
    float smoothing;
    int ignored;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("dx", dx);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        const int label = row.get(labels);
        const float log_of_sum = row.get(log_sum);
        const float factor = label == ignored ? 0.0f : dloss ? row.get(dloss) : 1.0f;
        const label_target target(smoothing, row.columns());
        const auto gradient = [&](column c, float logit) FADE_LAMBDA {
            const float wanted = (c.value == label ? target.at_label : 0.0f) + target.everywhere;
            return factor == 0 ? 0.0f : (Row::exp(logit - log_of_sum) - wanted) * factor;
        };
        row.write(dx, gradient, in);
    }
};

}  // namespace FADE_NAMESPACE::kernel

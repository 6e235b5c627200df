// A router's logits become experts and their weights, a token at a time.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/kernel/moe/problem.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In>
struct moe_route_rows {
    row_tensor<const In> logits;
    int* choices;
    float* weights;
    int top_k;
    moe_scoring scoring;
    bool renormalize;
    float weight_scale;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("logits", logits);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(logits);
        const auto n = row.normalizer(in);
        // Sigmoids that all underflow have a sum of zero; over that of the largest they keep their ratios.
        const bool relative = renormalize && n.largest < 0;
        const auto sigmoid = [&](float x) FADE_LAMBDA {
            return relative ? Row::exp(x - n.largest) / (1 + Row::exp(x)) : 1 / (1 + Row::exp(-x));
        };
        const auto weight_of = [&](const placed_number& found) FADE_LAMBDA {
            const float x = found.number();
            return scoring == moe_scoring::sigmoid ? sigmoid(x) : Row::exp(x - n.largest);
        };
        float factor = scoring == moe_scoring::sigmoid ? weight_scale : weight_scale / n.sum;
        if (renormalize) {
            float sum = 0;
            row.each_largest(
                top_k, [&](int, const placed_number& found) FADE_LAMBDA { sum += weight_of(found); }, in);
            factor = weight_scale / sum;
        }
        const auto put = [&](int i, const placed_number& found) FADE_LAMBDA {
            row.put_at(choices, row.number() * top_k + i, found.place);
            row.put_at(weights, row.number() * top_k + i, weight_of(found) * factor);
        };
        row.each_largest(top_k, put, in);
    }
};

}  // namespace FADE_NAMESPACE::kernel

// A filter that normalises what it makes.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/kernel/batch_norm/check.hpp>

namespace FADE_NAMESPACE::kernel {

template <class T>
struct fold_rows {
    row_tensor<const T> filter;
    row_tensor<T> folded;
    fold_operands<T> o;
    float epsilon;

    static constexpr int operands = 1, element_bytes = sizeof(T);
    template <class F>
    void each_tensor(F f) const {
        f("filter", filter), f("folded", folded);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(filter);
        const float factor =
            (o.weight ? row.get(o.weight) : 1.0f) / __builtin_sqrtf(row.get(o.variance) + epsilon);
        const float bias = o.bias ? row.get(o.bias) : 0.0f, shift = o.shift ? row.get(o.shift) : 0.0f;
        row.put(o.folded_bias, (bias - row.get(o.mean)) * factor + shift);
        row.write(folded, [&](float w) FADE_LAMBDA { return w * factor; }, in);
    }
};

template <class T>
void check_fold(const fold_problem& p, const fold_operands<T>& o) {
    require_real(p.epsilon >= 0 && p.epsilon < 1e30, "epsilon", p.epsilon,
                 "it must be 0 or positive, and finite");
    require(p.filters >= 0 && p.filters < index(1) << 31, "filters", p.filters,
            "it must be between 0 and 2^31 - 1");
    require(p.elements >= 0 && p.elements < index(1) << 29, "elements", p.elements,
            "it must be between 0 and 2^29 - 1");
    const index vector = p.filters * index(sizeof(float));
    check_images(image_memory{"filter", o.filter, p.filters * p.elements * index(sizeof(T))},
                 image_memory{"folded", o.folded, p.filters * p.elements * index(sizeof(T))},
                 image_memory{"mean", o.mean, vector}, image_memory{"variance", o.variance, vector},
                 image_memory{"weight", o.weight, vector, false, true},
                 image_memory{"shift", o.shift, vector, false, true},
                 image_memory{"folded_bias", o.folded_bias, vector, true});
}

}  // namespace FADE_NAMESPACE::kernel

// Activation gradients: D = v * f'(x), x the input that the activation saw, kept from the forward pass.
#pragma once
#include <fade/epilogue/math.hpp>
#include <fade/epilogue/residual.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct drelu_stage : stage {
    static constexpr const char* name = "drelu";
    static constexpr bool floating = floating_element<T>;
    matrix_source<T> input;
    FADE_FN explicit drelu_stage(const matrix_source<T>& f) : input(f) {}
    void bind(const output_shape& d) { input.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return input.template at<Value>(at) > Value(0) ? v : Value(0);
    }
};

/// f'(x) = Phi(x) + x phi(x), Phi and phi the normal distribution and its density.
template <class T>
struct dgelu_stage : stage {
    static constexpr const char* name = "dgelu";
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    matrix_source<T> input;
    FADE_FN explicit dgelu_stage(const matrix_source<T>& f) : input(f) {}
    void bind(const output_shape& d) { input.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        const Value x = input.template at<Value>(at);
        const Value distribution = Value(0.5) * (Value(1) + error_function(x * Value(0.70710678118654752)));
        return v * (distribution + x * Value(0.39894228040143268) * exponential(Value(-0.5) * x * x));
    }
};

/// f'(x) = s (1 + x (1 - s)), s = logistic(x).
template <class T>
struct dsilu_stage : stage {
    static constexpr const char* name = "dsilu";
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    matrix_source<T> input;
    FADE_FN explicit dsilu_stage(const matrix_source<T>& f) : input(f) {}
    void bind(const output_shape& d) { input.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        const Value x = input.template at<Value>(at), s = logistic(x);
        return v * s * (Value(1) + x * (Value(1) - s));
    }
};

}  // namespace epilogue

/// Gradient of relu at `input`, a matrix as of residual().
template <class T>
epilogue::drelu_stage<T> drelu(const T* input, index ld = 0, index batch_stride = -1) {
    return epilogue::drelu_stage<T>({input, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::drelu_stage<epilogue::element_of<C>> drelu(C&& input, index ld = 0, index batch_stride = -1) {
    return epilogue::drelu_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(input), ld, batch_stride));
}
/// Gradient of gelu at `input`.
template <class T>
epilogue::dgelu_stage<T> dgelu(const T* input, index ld = 0, index batch_stride = -1) {
    return epilogue::dgelu_stage<T>({input, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::dgelu_stage<epilogue::element_of<C>> dgelu(C&& input, index ld = 0, index batch_stride = -1) {
    return epilogue::dgelu_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(input), ld, batch_stride));
}
/// Gradient of silu at `input`.
template <class T>
epilogue::dsilu_stage<T> dsilu(const T* input, index ld = 0, index batch_stride = -1) {
    return epilogue::dsilu_stage<T>({input, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::dsilu_stage<epilogue::element_of<C>> dsilu(C&& input, index ld = 0, index batch_stride = -1) {
    return epilogue::dsilu_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(input), ld, batch_stride));
}

}  // namespace FADE_NAMESPACE

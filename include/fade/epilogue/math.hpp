// The transcendental functions of activations, on host and device alike.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/number/exponential.hpp>

namespace FADE_NAMESPACE::epilogue {

template <class Value>
FADE_FN Value exponential(Value x) {
    return Value(__builtin_expf(float(x)));
}
template <>
FADE_FN double exponential(double x) {
    return exp_f64(x);
}

/// erf by Abramowitz and Stegun 7.1.26, |error| <= 1.5e-7: enough for f32 and cheap in registers.
FADE_FN float erf_f32(float x) {
    const float a = __builtin_fabsf(x), t = 1.0f / (1.0f + 0.3275911f * a);
    const float poly =
        ((((1.061405429f * t - 1.453152027f) * t) + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f;
    const float y = 1.0f - poly * t * exponential(-a * a);
    return x < 0 ? -y : y;
}
template <class Value>
FADE_FN Value error_function(Value x) {
    return Value(erf_f32(float(x)));
}
template <>
FADE_FN double error_function(double x) {
    return erf_f64(x);
}

template <class Value>
FADE_FN Value logistic(Value x) {
    return Value(1) / (Value(1) + exponential(-x));
}

}  // namespace FADE_NAMESPACE::epilogue

// The Gaussian error linear unit (Hendrycks and Gimpel, 2016), exact and in the tanh approximation.
#pragma once
#include <fade/atom/cpu/activation.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/epilogue/math.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

/// x Phi(x), Phi the normal distribution.
struct gelu_stage : stage {
    static constexpr const char* name = "gelu";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const {
        return Value(0.5) * x * (Value(1) + error_function(x * Value(0.70710678118654752)));
    }
    static void on_row(float* row, int columns, const position&) {
        atom::with_vectors<atom::each_vector<atom::gelu_lanes>>(row, columns);
    }
};

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x logistic(2 sqrt(2/pi) (...)).
struct gelu_tanh_stage : stage {
    static constexpr const char* name = "gelu_tanh";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const {
        return x * logistic(Value(1.5957691216057308) * (x + Value(0.044715) * x * x * x));
    }
    static void on_row(float* row, int columns, const position&) {
        atom::with_vectors<atom::each_vector<atom::gelu_tanh_lanes>>(row, columns);
    }
};

}  // namespace epilogue

inline epilogue::gelu_stage gelu() { return {}; }
inline epilogue::gelu_tanh_stage gelu_tanh() { return {}; }

}  // namespace FADE_NAMESPACE

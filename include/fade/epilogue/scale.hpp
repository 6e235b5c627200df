// Multiplication by a number, and limits.
#pragma once
#include <fade/core/error.hpp>
#include <fade/epilogue/chain.hpp>
#include <limits>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE {
namespace epilogue {

/// A number is as it was given: f64 for products of f64, which others round to what they compute in.
template <class Number>
struct scale_stage_of : stage {
    static constexpr const char* name = "scale";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    Number factor;
    FADE_FN explicit scale_stage_of(Number f) : factor(f) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        return Value(v * Value(factor));
    }
};
using scale_stage = scale_stage_of<float>;

template <class Number>
struct clamp_stage_of : stage {
    static constexpr const char* name = "clamp";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = false;  ///< whole numbers between the nearest whole limits are right
    Number low, high;
    FADE_FN clamp_stage_of(Number l, Number h) : low(l), high(h) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        const Value min = convert<Value>(low), max = convert<Value>(high);
        const Value raised = v < min ? min : v;
        return raised > max ? max : raised;
    }
};
using clamp_stage = clamp_stage_of<float>;

/// f64 where one is given, else f32.
template <class... N>
using number_of = std::conditional_t<(std::is_same_v<N, double> || ...), double, float>;

/// Does Number hold a whole number?
template <class Number, class N>
bool holds(N x) {
    const Number same = Number(x);
    const Number behind = 2 * Number(std::numeric_limits<N>::max() / 2 + 1);  // of what N holds
    return same < behind && N(same) == x;
}

/// A whole number must be one of Number.
template <class Number, class N>
Number stage_number(const char* stage, N x) {
    static_assert(std::is_arithmetic_v<N>, "scale and clamp take numbers");
    if constexpr (std::is_integral_v<N>)
        if (!holds<Number>(x))
            throw error(stage, std::to_string(x),
                        sizeof(Number) == 4 ? "f32 does not hold it: give a double" : "f64 does not hold it");
    return Number(x);
}

/// The same of a limit; the largest i32 may be one, which whole numbers have again of what f32 makes of it.
template <class Number, class N>
Number limit_number(N x) {
    if constexpr (std::is_integral_v<N>)
        if (double(x) == 0x7fffffff) return Number(x);
    return stage_number<Number>("clamp", x);
}

}  // namespace epilogue

template <class N>
epilogue::scale_stage_of<epilogue::number_of<N>> scale(N factor) {
    return epilogue::scale_stage_of<epilogue::number_of<N>>(
        epilogue::stage_number<epilogue::number_of<N>>("scale", factor));
}

/// min(max(x, low), high); NaN stays NaN.
template <class Low, class High>
epilogue::clamp_stage_of<epilogue::number_of<Low, High>> clamp(Low low, High high) {
    using number = epilogue::number_of<Low, High>;
    return {epilogue::limit_number<number>(low), epilogue::limit_number<number>(high)};
}

}  // namespace FADE_NAMESPACE

// Divides by a factor and keeps to the range of a type of 8 bits, whose rounding the store does.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/epilogue/chain.hpp>
#include <string>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
constexpr float largest_of() {
    if constexpr (std::is_integral_v<T>)
        return float(max_whole<T>);
    else
        return to_f32(T{T::largest});
}

template <class T>
struct quantize_stage : stage {
    static constexpr const char* name = "quantize_to";
    static constexpr bool floating = true;
    float factor;
    const float* from;  ///< null: the factor is `factor`
    float zero = 0;     ///< of i8: a whole number
    FADE_FN quantize_stage(float f, const float* at) : factor(f), from(at) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        constexpr float high = largest_of<T>(), low = std::is_integral_v<T> ? -high - 1 : -high;
        Value x = v / Value(from ? *from : factor);
        // Rounded before the zero point is added, which would turn ties.
        if constexpr (std::is_integral_v<T>)
            x = Value(sizeof(Value) == 8 ? __builtin_rint(double(x)) : __builtin_rintf(float(x))) +
                Value(zero);
        return x < Value(low) ? Value(low) : x > Value(high) ? Value(high) : x;
    }
    void bind(const output_shape&) const {
        if (!from && !(factor > 0 && factor <= 3.402823466e38f))
            throw error(name, std::to_string(factor),
                        "values are divided by it, so it must be above 0 and finite");
    }
};

template <class T>
constexpr bool require_8_bits() {
    static_assert(std::is_same_v<T, i8> || (is_storage<T> && sizeof(T) == 1),
                  "quantize_to leads to the types of 8 bits: i8, f8e4m3, f8e5m2, and the fnuz forms of both");
    return true;
}

}  // namespace epilogue

/// x / factor, and beyond the range of T its nearest end: T is D's type, i8 or an 8-bit float, to which the
/// store rounds, to nearest, ties to even. Infinity becomes an end, too; NaN stays NaN (of i8: 0).
template <class T>
epilogue::quantize_stage<T> quantize_to(float factor) {
    epilogue::require_8_bits<T>();
    return {factor, nullptr};
}
/// The nearest whole number of x / factor, plus a zero point between -128 and 127, and beyond the range of i8
/// its nearest end.
template <class T>
epilogue::quantize_stage<T> quantize_to(float factor, int zero) {
    static_assert(std::is_same_v<T, i8>,
                  "a zero point is that of i8: quantize_to leads to floats without one");
    if (zero < -128 || zero > 127)
        throw error("quantize_to", std::to_string(zero),
                    "the zero point is a value of the result, so it must be between -128 and 127");
    auto out = quantize_to<T>(factor);
    out.zero = float(zero);
    return out;
}
/// By a factor that stands in the device's memory when the product runs, above 0 and finite.
template <class T>
epilogue::quantize_stage<T> quantize_to(const float* factor) {
    epilogue::require_8_bits<T>();
    if (!factor) throw error("quantize_to", "null", "the factor is read there");
    return {0, factor};
}

}  // namespace FADE_NAMESPACE

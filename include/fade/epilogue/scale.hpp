// Multiplication by a number, and limits.
#pragma once
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

struct scale_stage : stage {
    static constexpr const char* name = "scale";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    float factor;
    FADE_FN explicit scale_stage(float f) : factor(f) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        return Value(v * factor);
    }
};

struct clamp_stage : stage {
    static constexpr const char* name = "clamp";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = false;  ///< whole numbers between the nearest whole limits are right
    float low, high;
    FADE_FN clamp_stage(float l, float h) : low(l), high(h) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        const Value min = convert<Value>(low), max = convert<Value>(high);
        const Value raised = v < min ? min : v;
        return raised > max ? max : raised;
    }
};

}  // namespace epilogue

inline epilogue::scale_stage scale(float factor) { return epilogue::scale_stage(factor); }

/// min(max(x, low), high); NaN stays NaN.
inline epilogue::clamp_stage clamp(float low, float high) { return {low, high}; }

}  // namespace FADE_NAMESPACE

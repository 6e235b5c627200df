// x logistic(x), and the logistic function itself.
#pragma once
#include <fade/epilogue/chain.hpp>
#include <fade/epilogue/math.hpp>

namespace fade {
namespace epilogue {

struct silu_stage : stage {
    static constexpr const char* name = "silu";
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const { return x * logistic(x); }
};

struct sigmoid_stage : stage {
    static constexpr const char* name = "sigmoid";
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const { return logistic(x); }
};

}  // namespace epilogue

inline epilogue::silu_stage silu() { return {}; }
inline epilogue::sigmoid_stage sigmoid() { return {}; }

}  // namespace fade

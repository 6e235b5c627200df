// max(x, 0). NaN stays NaN.
#pragma once
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

struct relu_stage : stage {
    static constexpr const char* name = "relu";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = false;
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        return v < Value(0) ? Value(0) : v;
    }
};

}  // namespace epilogue

inline epilogue::relu_stage relu() { return {}; }

}  // namespace FADE_NAMESPACE

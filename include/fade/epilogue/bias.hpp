// Adds a vector: one value a column (bias) or one a row (bias_col).
#pragma once
#include <fade/epilogue/chain.hpp>

namespace fade {
namespace epilogue {

template <class T>
struct bias_stage : stage {
    static constexpr const char* name = "bias";
    const T* values;
    FADE_FN explicit bias_stage(const T* v) : values(v) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const { return v + at.load<Value>(values, at.column); }
};

template <class T>
struct bias_col_stage : stage {
    static constexpr const char* name = "bias_col";
    const T* values;
    FADE_FN explicit bias_col_stage(const T* v) : values(v) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const { return v + at.load<Value>(values, at.row); }
};

}  // namespace epilogue

/// Adds values[column]; n values, shared by all batches.
template <class T>
epilogue::bias_stage<T> bias(const T* values) { return epilogue::bias_stage<T>(values); }

/// Adds values[row]; m values, shared by all batches.
template <class T>
epilogue::bias_col_stage<T> bias_col(const T* values) { return epilogue::bias_col_stage<T>(values); }

}  // namespace fade

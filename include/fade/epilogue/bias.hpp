// Adds a vector: one value a column (bias) or one a row (bias_col).
#pragma once
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct bias_stage : stage {
    static constexpr const char* name = "bias";
    static constexpr bool floating = floating_element<T>;
    const T* values;
    index count;
    FADE_FN explicit bias_stage(const T* v, index length = any_length) : values(v), count(length) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_sum(v, at.load<Value>(values, at.column));
    }
    void bind(const output_shape& d) const { check_vector(name, values, count, d.columns, "columns"); }
};

template <class T>
struct bias_col_stage : stage {
    static constexpr const char* name = "bias_col";
    static constexpr bool floating = floating_element<T>;
    const T* values;
    index count;
    FADE_FN explicit bias_col_stage(const T* v, index length = any_length) : values(v), count(length) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_sum(v, at.load<Value>(values, at.row));
    }
    void bind(const output_shape& d) const { check_vector(name, values, count, d.rows, "rows"); }
};

}  // namespace epilogue

/// Adds values[column]; n values, shared by all batches. With a length (`count`, or that of a vector, array
/// or span) a call refuses fewer.
template <class T>
epilogue::bias_stage<T> bias(const T* values, index count = epilogue::any_length) {
    return epilogue::bias_stage<T>(values, count);
}
template <epilogue::sized_memory C>
epilogue::bias_stage<epilogue::element_of<C>> bias(C&& values) {
    const auto count = static_cast<index>(values.size());
    return epilogue::bias_stage<epilogue::element_of<C>>(epilogue::kept(std::forward<C>(values)), count);
}

/// Adds values[row]; m values, shared by all batches.
template <class T>
epilogue::bias_col_stage<T> bias_col(const T* values, index count = epilogue::any_length) {
    return epilogue::bias_col_stage<T>(values, count);
}
template <epilogue::sized_memory C>
epilogue::bias_col_stage<epilogue::element_of<C>> bias_col(C&& values) {
    const auto count = static_cast<index>(values.size());
    return epilogue::bias_col_stage<epilogue::element_of<C>>(epilogue::kept(std::forward<C>(values)), count);
}

}  // namespace FADE_NAMESPACE

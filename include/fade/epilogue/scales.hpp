// Multiplies by a factor of each row or column: products of quantised operands become numbers again.
#pragma once
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct scale_rows_stage : stage {
    static constexpr const char* name = "scale_rows";
    static constexpr bool floating = floating_element<T>;
    const T* values;
    index count;
    FADE_FN explicit scale_rows_stage(const T* v, index length = any_length) : values(v), count(length) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_product(v, at.load<Value>(values, at.row));
    }
    void bind(const output_shape& d) const { check_vector(name, values, count, d.rows, "rows"); }
};

template <class T>
struct scale_columns_stage : stage {
    static constexpr const char* name = "scale_columns";
    static constexpr bool floating = floating_element<T>;
    const T* values;
    index count;
    FADE_FN explicit scale_columns_stage(const T* v, index length = any_length) : values(v), count(length) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_product(v, at.load<Value>(values, at.column));
    }
    void bind(const output_shape& d) const { check_vector(name, values, count, d.columns, "columns"); }
};

}  // namespace epilogue

/// Multiplies by values[row]; m values, shared by all batches: the scales of a quantised A. With a length a
/// call refuses fewer.
template <class T>
epilogue::scale_rows_stage<T> scale_rows(const T* values, index count = epilogue::any_length) {
    return epilogue::scale_rows_stage<T>(values, count);
}
template <epilogue::sized_memory C>
epilogue::scale_rows_stage<epilogue::element_of<C>> scale_rows(C&& values) {
    const auto count = static_cast<index>(values.size());
    return epilogue::scale_rows_stage<epilogue::element_of<C>>(epilogue::kept(std::forward<C>(values)),
                                                               count);
}

/// Multiplies by values[column]; n values, shared by all batches: the scales of a quantised B.
template <class T>
epilogue::scale_columns_stage<T> scale_columns(const T* values, index count = epilogue::any_length) {
    return epilogue::scale_columns_stage<T>(values, count);
}
template <epilogue::sized_memory C>
epilogue::scale_columns_stage<epilogue::element_of<C>> scale_columns(C&& values) {
    const auto count = static_cast<index>(values.size());
    return epilogue::scale_columns_stage<epilogue::element_of<C>>(epilogue::kept(std::forward<C>(values)),
                                                                  count);
}

}  // namespace FADE_NAMESPACE

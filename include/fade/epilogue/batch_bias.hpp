// Adds a vector that each batch has of its own: the bias of an expert.
#pragma once
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct batch_bias_stage : stage {
    static constexpr const char* name = "batch_bias";
    static constexpr bool floating = floating_element<T>;
    const T* values;
    index stride, count;
    FADE_FN explicit batch_bias_stage(const T* v, index batch_stride = -1, index length = any_length)
        : values(v), stride(batch_stride), count(length) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_sum(v, at.load<Value>(values, at.batch * stride + at.column));
    }
    void bind(const output_shape& d) {
        if (stride < 0) stride = d.columns;
        check_values(name, values, count, wide_index(d.batch - 1) * stride + d.columns,
                     "it reads one value for each of the " + std::to_string(d.columns) +
                         " columns of D, for each of " + std::to_string(d.batch) + " batches or groups");
    }
};

}  // namespace epilogue

/// Adds values[batch * batch_stride + column], in a grouped product values[group * batch_stride + column];
/// batch_stride -1: n. With a length (`count`, or that of a vector, array or span) a call refuses fewer.
template <class T>
epilogue::batch_bias_stage<T> batch_bias(const T* values, index batch_stride = -1,
                                         index count = epilogue::any_length) {
    return epilogue::batch_bias_stage<T>(values, batch_stride, count);
}
template <epilogue::sized_memory C>
epilogue::batch_bias_stage<epilogue::element_of<C>> batch_bias(C&& values, index batch_stride = -1) {
    const auto count = static_cast<index>(values.size());
    return epilogue::batch_bias_stage<epilogue::element_of<C>>(epilogue::kept(std::forward<C>(values)),
                                                               batch_stride, count);
}

}  // namespace FADE_NAMESPACE

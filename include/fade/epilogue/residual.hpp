// Adds, or multiplies by, a matrix of D's shape.
#pragma once
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct residual_stage : stage {
    static constexpr const char* name = "residual";
    static constexpr bool floating = floating_element<T>;
    matrix_source<T> from;
    FADE_FN explicit residual_stage(const matrix_source<T>& f) : from(f) {}
    void bind(const output_shape& d) { from.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_sum(v, from.template at<Value>(at));
    }
};

template <class T>
struct mul_stage : stage {
    static constexpr const char* name = "mul";
    static constexpr bool floating = floating_element<T>;
    matrix_source<T> from;
    FADE_FN explicit mul_stage(const matrix_source<T>& f) : from(f) {}
    void bind(const output_shape& d) { from.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return wrapping_product(v, from.template at<Value>(at));
    }
};

}  // namespace epilogue

/// Adds values[batch * batch_stride + row * ld + column]; ld 0: packed rows; batch_stride -1: packed
/// matrices, 0: the same for all batches. Of a vector, array or span a call refuses fewer values than it
/// reads.
template <class T>
epilogue::residual_stage<T> residual(const T* values, index ld = 0, index batch_stride = -1) {
    return epilogue::residual_stage<T>({values, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::residual_stage<epilogue::element_of<C>> residual(C&& values, index ld = 0,
                                                           index batch_stride = -1) {
    return epilogue::residual_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(values), ld, batch_stride));
}

/// Multiplies by such a matrix.
template <class T>
epilogue::mul_stage<T> mul(const T* values, index ld = 0, index batch_stride = -1) {
    return epilogue::mul_stage<T>({values, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::mul_stage<epilogue::element_of<C>> mul(C&& values, index ld = 0, index batch_stride = -1) {
    return epilogue::mul_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(values), ld, batch_stride));
}

}  // namespace FADE_NAMESPACE

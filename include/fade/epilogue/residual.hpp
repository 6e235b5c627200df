// Adds, or multiplies by, a matrix of D's shape.
#pragma once
#include <fade/epilogue/chain.hpp>

namespace fade {
namespace epilogue {

/// A row-major matrix a batch; the batch stride counts elements.
template <class T>
struct matrix_source {
    const T* values;
    index ld, batch_stride;
    template <class Value>
    FADE_FN Value at(const position& p) const { return p.load<Value>(values, p.batch * batch_stride + p.row * ld + p.column); }
};

template <class T>
struct residual_stage : stage {
    static constexpr const char* name = "residual";
    matrix_source<T> from;
    FADE_FN explicit residual_stage(const matrix_source<T>& f) : from(f) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const { return v + from.template at<Value>(at); }
};

template <class T>
struct mul_stage : stage {
    static constexpr const char* name = "mul";
    matrix_source<T> from;
    FADE_FN explicit mul_stage(const matrix_source<T>& f) : from(f) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const { return v * from.template at<Value>(at); }
};

}  // namespace epilogue

/// Adds values[row * ld + column]; ld and batch_stride count elements.
template <class T>
epilogue::residual_stage<T> residual(const T* values, index ld, index batch_stride = 0) {
    return epilogue::residual_stage<T>({values, ld, batch_stride});
}

/// Multiplies by values[row * ld + column].
template <class T>
epilogue::mul_stage<T> mul(const T* values, index ld, index batch_stride = 0) {
    return epilogue::mul_stage<T>({values, ld, batch_stride});
}

}  // namespace fade

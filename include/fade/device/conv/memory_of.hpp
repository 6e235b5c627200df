// The tensors of a pass as its operations see them: what is read, and what is written.
#pragma once
#include <fade/device/conv/copies.hpp>
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE {

template <class In, class Out>
constexpr conv_pass pass_of(const conv_operands<In, Out>&) {
    return conv_pass::forward;
}
template <class In, class Out>
constexpr conv_pass pass_of(const conv_data_operands<In, Out>&) {
    return conv_pass::backward_data;
}
template <class In, class Out>
constexpr conv_pass pass_of(const conv_weights_operands<In, Out>&) {
    return conv_pass::backward_weights;
}

namespace detail {

template <class In, class Out>
conv_memory<In, Out> conv_memory_of(const conv_problem& p, const conv_operands<In, Out>& o) {
    return {{"x", o.x, kernel::input_shape(p)},
            {"w", o.w, kernel::filter_shape(p)},
            o.c,
            {"y", o.y, kernel::output_shape(p)}};
}
template <class In, class Out>
conv_memory<In, Out> conv_memory_of(const conv_problem& p, const conv_data_operands<In, Out>& o) {
    return {{"dy", o.dy, kernel::output_shape(p)},
            {"w", o.w, kernel::filter_shape(p)},
            o.c,
            {"dx", o.dx, kernel::input_shape(p)}};
}
template <class In, class Out>
conv_memory<In, Out> conv_memory_of(const conv_problem& p, const conv_weights_operands<In, Out>& o) {
    return {{"dy", o.dy, kernel::output_shape(p)},
            {"x", o.x, kernel::input_shape(p)},
            o.c,
            {"dw", o.dw, kernel::filter_shape(p)}};
}

}  // namespace detail

}  // namespace FADE_NAMESPACE

// Softmax, log-softmax and cross entropy of rows, and their gradients, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/rows/cross_entropy.hpp>
#include <fade/kernel/rows/problem.hpp>
#include <fade/kernel/rows/refuse.hpp>
#include <fade/kernel/rows/softmax.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// y = exp(x - max(x)) / sum(exp(x - max(x))) for every row. y may be x where both have the same type.
/// In, Out: f32, f16, bf16; sums are f32. A row that holds a NaN or infinity becomes NaN, and so does one of
/// minus infinities alone. Work is queued on the device's stream; host and emulated devices are done on
/// return. Throws fade::error with nothing written for sizes, strides, pointers or overlaps that cannot be.
template <class In, class Out = In, class Device>
report softmax(Device& device, const softmax_problem& p, const In* x, Out* y,
               const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    kernel::check_row_types<In, Out>();
    const kernel::softmax_rows<In, Out, false> op{{x, p.x_stride}, {y, p.y_stride}};
    return run_rows(device, "softmax", {p.rows, p.columns}, op, options, tuned);
}

/// y = x - max(x) - log(sum(exp(x - max(x)))) for every row; otherwise as softmax().
template <class In, class Out = In, class Device>
report log_softmax(Device& device, const softmax_problem& p, const In* x, Out* y,
                   const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    kernel::check_row_types<In, Out>();
    const kernel::softmax_rows<In, Out, true> op{{x, p.x_stride}, {y, p.y_stride}};
    return run_rows(device, "log_softmax", {p.rows, p.columns}, op, options, tuned);
}

/// dx = y (dy - sum(y dy)) for every row, from the result y of softmax(). dx may be dy.
template <class In, class Out = In, class Device>
report softmax_gradient(Device& device, const softmax_gradient_problem& p, const In* y, const In* dy, Out* dx,
                        const operation_options& options = {}) {
    kernel::check_row_types<In, Out>();
    const kernel::softmax_gradient_rows<In, Out, false> op{
        {y, p.y_stride}, {dy, p.dy_stride}, {dx, p.dx_stride}};
    return run_rows(device, "softmax gradient", {p.rows, p.columns}, op, options);
}

/// dx = dy - exp(y) sum(dy) for every row, from the result y of log_softmax(). dx may be dy.
template <class In, class Out = In, class Device>
report log_softmax_gradient(Device& device, const softmax_gradient_problem& p, const In* y, const In* dy,
                            Out* dx, const operation_options& options = {}) {
    kernel::check_row_types<In, Out>();
    const kernel::softmax_gradient_rows<In, Out, true> op{
        {y, p.y_stride}, {dy, p.dy_stride}, {dx, p.dx_stride}};
    return run_rows(device, "log_softmax gradient", {p.rows, p.columns}, op, options);
}

/// loss[row] = log(sum(exp(x))) - (1 - smoothing) x[label] - smoothing mean(x); 0 for the ignored label, NaN
/// for labels outside the columns. Probabilities are not stored.
template <class In, class Device>
report cross_entropy(Device& device, const cross_entropy_problem& p, const cross_entropy_operands<In>& o,
                     const operation_options& options = {}) {
    kernel::check_row_types<In>();
    kernel::check_cross_entropy(p, o.labels);
    kernel::require_list(o.loss, "loss", p.rows, "it is the result");
    const kernel::cross_entropy_rows<In> op{.x = {o.x, p.x_stride},
                                            .labels = o.labels,
                                            .loss = o.loss,
                                            .log_sum = o.log_sum,
                                            .smoothing = float(p.smoothing),
                                            .ignored = p.ignored_label};
    return run_rows(device, "cross_entropy", {p.rows, p.columns}, op, options);
}

/// dx = (softmax(x) - target) * dloss[row], from the log_sum of cross_entropy().
template <class In, class Gradient = In, class Device>
report cross_entropy_gradient(Device& device, const cross_entropy_problem& p,
                              const cross_entropy_gradient_operands<In, Gradient>& o,
                              const operation_options& options = {}) {
    kernel::check_row_types<In, Gradient>();
    kernel::check_cross_entropy(p, o.labels);
    kernel::require_list(o.log_sum, "log_sum", p.rows, "cross_entropy() stores it for the gradient");
    const kernel::cross_entropy_gradient_rows<In, Gradient> op{.x = {o.x, p.x_stride},
                                                               .dx = {o.dx, p.dx_stride},
                                                               .labels = o.labels,
                                                               .log_sum = o.log_sum,
                                                               .dloss = o.dloss,
                                                               .smoothing = float(p.smoothing),
                                                               .ignored = p.ignored_label};
    return run_rows(device, "cross_entropy gradient", {p.rows, p.columns}, op, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

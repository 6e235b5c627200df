// Norms of rows, and their gradients, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/norm_gradient_call.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/rows/layer_norm.hpp>
#include <fade/kernel/rows/problem.hpp>
#include <fade/kernel/rows/refuse.hpp>
#include <fade/kernel/rows/rms_norm.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// What rms_norm() does with a row, checked as it checks: for finds, too.
template <class In, class Out, class Weight>
kernel::rms_norm_rows<In, Out, Weight> rms_norm_operator(const norm_problem& p,
                                                         const norm_operands<In, Out, Weight>& o) {
    kernel::check_norm_types<Out, In, Weight>();
    kernel::check_norm<Out>(p, o, "rms_norm");
    return {.x = {o.x, p.x_stride},
            .residual = {o.residual, p.residual_stride},
            .sum = {o.sum, p.sum_stride},
            .weight = {o.weight, 0},
            .y = {o.y, p.y_stride},
            .scales = o.scales,
            .inverse_root = o.inverse_root,
            .epsilon = float(p.epsilon),
            .weight_offset = float(p.weight_offset)};
}

/// The same of layer_norm().
template <class In, class Out, class Weight>
kernel::layer_norm_rows<In, Out, Weight> layer_norm_operator(const norm_problem& p,
                                                             const norm_operands<In, Out, Weight>& o) {
    kernel::check_norm_types<Out, In, Weight>();
    kernel::check_norm<Out>(p, o, "layer_norm");
    return {.x = {o.x, p.x_stride},
            .residual = {o.residual, p.residual_stride},
            .sum = {o.sum, p.sum_stride},
            .weight = {o.weight, 0},
            .bias = {o.bias, 0},
            .y = {o.y, p.y_stride},
            .scales = o.scales,
            .mean = o.mean,
            .inverse_root = o.inverse_root,
            .epsilon = float(p.epsilon)};
}

}  // namespace detail

/// y = h / sqrt(mean(h^2) + epsilon) * weight for every row, h = x + residual as In holds it.
/// In, Weight: f32, f16, bf16. Out: these, an 8-bit float or i8, with a scale for each row. Sums are f32.
/// Work is queued on the device's stream; host and emulated devices are done on return. Throws fade::error
/// with nothing written for sizes, strides, pointers or overlaps that cannot be.
template <class In, class Out = In, class Weight = In, class Device>
report rms_norm(Device& device, const norm_problem& p, const norm_operands<In, Out, Weight>& o,
                const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    return run_rows(device, "rms_norm", {p.rows, p.columns}, detail::rms_norm_operator(p, o), options, tuned);
}

/// y = (h - mean(h)) / sqrt(variance(h) + epsilon) * weight + bias for every row; otherwise as rms_norm().
template <class In, class Out = In, class Weight = In, class Device>
report layer_norm(Device& device, const norm_problem& p, const norm_operands<In, Out, Weight>& o,
                  const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    return run_rows(device, "layer_norm", {p.rows, p.columns}, detail::layer_norm_operator(p, o), options,
                    tuned);
}

/// The gradients of rms_norm(). dweight is summed over rows in a fixed order, by workgroups whose number
/// follows from the device.
template <class In, class Gradient = In, class Weight = In, class Device>
report rms_norm_gradient(Device& device, const norm_gradient_problem& p,
                         const norm_gradient_operands<In, Gradient, Weight>& o,
                         const operation_options& options = {}) {
    kernel::check_row_types<In, Gradient, Weight>();
    kernel::check_norm_gradient(p, o, "rms_norm");
    const kernel::rms_norm_gradient_rows<In, Gradient, Weight> op{.h = {o.h, p.h_stride},
                                                                  .dy = {o.dy, p.dy_stride},
                                                                  .dsum = {o.dsum, p.dsum_stride},
                                                                  .weight = {o.weight, 0},
                                                                  .dx = {o.dx, p.dx_stride},
                                                                  .inverse_root = o.inverse_root,
                                                                  .weight_offset = float(p.weight_offset)};
    return run_norm_gradient(device, "rms_norm gradient", p, o, op, options);
}

/// The gradients of layer_norm(), as rms_norm_gradient().
template <class In, class Gradient = In, class Weight = In, class Device>
report layer_norm_gradient(Device& device, const norm_gradient_problem& p,
                           const norm_gradient_operands<In, Gradient, Weight>& o,
                           const operation_options& options = {}) {
    kernel::check_row_types<In, Gradient, Weight>();
    kernel::check_norm_gradient(p, o, "layer_norm");
    const kernel::layer_norm_gradient_rows<In, Gradient, Weight> op{.h = {o.h, p.h_stride},
                                                                    .dy = {o.dy, p.dy_stride},
                                                                    .dsum = {o.dsum, p.dsum_stride},
                                                                    .weight = {o.weight, 0},
                                                                    .dx = {o.dx, p.dx_stride},
                                                                    .mean = o.mean,
                                                                    .inverse_root = o.inverse_root};
    return run_norm_gradient(device, "layer_norm gradient", p, o, op, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

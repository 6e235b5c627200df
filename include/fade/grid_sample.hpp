// Samples of images at the points of a grid on every machine, and the gradients.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/image/sample_call.hpp>
#include <fade/kernel/rows/types.hpp>
#include <fade/kernel/sample/problem.hpp>

namespace FADE_NAMESPACE {

/// y[n, o] = x[n] at the point grid[n, o], whose coordinates are (w, h) or (w, h, d) as PyTorch has them.
/// T: f32, f16, bf16; the grid and sums are f32. A coordinate that is no number lies before the first
/// pixel. Work is queued on the device's stream; host and emulated devices are done on return. Throws
/// fade::error with nothing written for sizes, pointers or overlaps that cannot be.
template <class T, class Device>
report grid_sample(Device& device, const grid_sample_problem& p, const grid_sample_operands<T>& o,
                   const operation_options& options = {}) {
    kernel::check_row_types<T>();
    grid_sample_operation<T> operation(device, p, o);
    return run_operation(device, operation, options);
}

/// dx and dgrid, each where it is wanted. dx is summed in f32 and in the order of the points by one lane a
/// run of channels, so it is the same each time, and slow where images are few. Where T is not f32 it needs a
/// workspace of x's elements. Otherwise as grid_sample().
template <class T, class Device>
report grid_sample_gradient(Device& device, const grid_sample_problem& p,
                            const grid_sample_gradient_operands<T>& o,
                            const operation_options& options = {}) {
    kernel::check_row_types<T>();
    grid_sample_operation<T> operation(device, p, o);
    return run_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

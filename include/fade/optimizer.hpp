// Steps of optimizers on every machine: parameters, their state and a copy by one kernel.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/optimizer_call.hpp>
#include <fade/kernel/optimizer/problem.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// One step of stochastic gradient descent, by one pass over the parameters; sgd_problem has the formula.
/// Gradient, Copy: f32, f16, bf16; all is computed in f32, and the copy is rounded once. Where nonfinite
/// holds a number other than 0, nothing is written. Work is queued on the device's stream; host and emulated
/// devices are done on return. Throws fade::error with nothing written for counts, rates, pointers or
/// overlaps that cannot be.
template <class Gradient, class Copy = Gradient, class Device>
report sgd_step(Device& device, const sgd_problem& p, const sgd_operands<Gradient, Copy>& o,
                const operation_options& options = {}) {
    kernel::check_row_types<Gradient, Copy>();
    auto operation = sgd_operation(device, p, o);
    return run_operation(device, operation, options);
}

/// One step of AdamW; adamw_problem has the formula. Otherwise as sgd_step().
template <class Gradient, class Copy = Gradient, class Device>
report adamw_step(Device& device, const adamw_problem& p, const adamw_operands<Gradient, Copy>& o,
                  const operation_options& options = {}) {
    kernel::check_row_types<Gradient, Copy>();
    auto operation = adamw_operation(device, p, o);
    return run_operation(device, operation, options);
}

/// *nonfinite = 1 where one of `count` elements is infinite or NaN, else 0: with a scaled loss, whether the
/// scale was too large. T: f32, f16, bf16. It needs a workspace of at most 4 KiB. Otherwise as sgd_step().
template <class T, class Device>
report find_nonfinite(Device& device, index count, const T* gradient, float* nonfinite,
                      const operation_options& options = {}) {
    kernel::check_row_types<T>();
    nonfinite_operation<T> operation(device, count, gradient, nonfinite);
    return run_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

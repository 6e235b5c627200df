// Pooling on every machine, and its gradients.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/image/pool_call.hpp>
#include <fade/kernel/pool/problem.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// y = the largest element of each window, and where it lies. Of equal ones the first is taken, and the first
/// NaN before all numbers; a window whose taps all pass the image by has minus infinity and index -1.
/// T: f32, f16, bf16. Work is queued on the device's stream; host and emulated devices are done on return.
/// Throws fade::error with nothing written for sizes, pointers or overlaps that cannot be.
template <class T, class Device>
report max_pool(Device& device, const pool_problem& p, const max_pool_operands<T>& o,
                const operation_options& options = {}) {
    kernel::check_row_types<T>();
    pool_operation<tune::pool_kind::max, T> operation(device, p, o.x, o.y, nullptr, o.indices);
    return run_operation(device, operation, options);
}

/// dx = the sum of dy over the windows whose largest element a pixel is, in their order: the same bits each
/// time. Otherwise as max_pool().
template <class T, class Device>
report max_pool_gradient(Device& device, const pool_problem& p, const max_pool_gradient_operands<T>& o,
                         const operation_options& options = {}) {
    kernel::check_row_types<T>();
    pool_operation<tune::pool_kind::max_gradient, T> operation(device, p, o.dy, o.dx, o.indices, nullptr);
    return run_operation(device, operation, options);
}

/// y = the mean of each window, in f32: of the pixels it sees, and with count_include_pad of the room around
/// the image, too, which counts as zeros. Otherwise as max_pool().
template <class T, class Device>
report avg_pool(Device& device, const pool_problem& p, const avg_pool_operands<T>& o,
                const operation_options& options = {}) {
    kernel::check_row_types<T>();
    pool_operation<tune::pool_kind::avg, T> operation(device, p, o.x, o.y, nullptr, nullptr);
    return run_operation(device, operation, options);
}

/// dx = the sum of dy / count over the windows that see a pixel, in their order. Otherwise as max_pool().
template <class T, class Device>
report avg_pool_gradient(Device& device, const pool_problem& p, const avg_pool_gradient_operands<T>& o,
                         const operation_options& options = {}) {
    kernel::check_row_types<T>();
    pool_operation<tune::pool_kind::avg_gradient, T> operation(device, p, o.dy, o.dx, nullptr, nullptr);
    return run_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

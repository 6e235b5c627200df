// Images of another size on every machine, and the gradient.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/image/sample_call.hpp>
#include <fade/kernel/rows/types.hpp>
#include <fade/kernel/sample/problem.hpp>

namespace FADE_NAMESPACE {

/// y = x with other sizes: the nearest pixels, or values between neighbours.
/// T: f32, f16, bf16; positions and sums are f32. Work is queued on the device's stream; host and emulated
/// devices are done on return. Throws fade::error with nothing written for sizes, pointers or overlaps that
/// cannot be.
template <class T, class Device>
report upsample(Device& device, const upsample_problem& p, const T* x, T* y,
                const operation_options& options = {}) {
    kernel::check_row_types<T>();
    upsample_operation<false, T> operation(device, p, x, y);
    return run_operation(device, operation, options);
}

/// dx = the sum of dy times what each output has taken of a pixel, in their order: the same bits each time.
/// Otherwise as upsample().
template <class T, class Device>
report upsample_gradient(Device& device, const upsample_problem& p, const T* dy, T* dx,
                         const operation_options& options = {}) {
    kernel::check_row_types<T>();
    upsample_operation<true, T> operation(device, p, dy, dx);
    return run_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

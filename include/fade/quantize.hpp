// 8-bit floats and their factors on every machine: a tensor as attention reads it.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/quantize_call.hpp>
#include <fade/kernel/quantize/problem.hpp>

namespace FADE_NAMESPACE {

/// Writes the factors of a tensor (the largest magnitude / the largest number of Out) and its elements x /
/// factor, rounded once to nearest with ties to even, and says what ran. Out: f8e4m3, f8e5m2 and their fnuz
/// forms; In: f32, f16, bf16. A factor is 1 where all is zero or nothing exists, and never below 2^-126. No
/// finite element exceeds the largest number of Out. NaN stays NaN; infinity does not count for the factor
/// and becomes infinity in f8e5m2, NaN in the others, which have none. Work is queued on the device's stream;
/// host and emulated devices are done on return. The same bits on every device. Throws fade::error, with
/// nothing written, for sizes, strides, pointers or overlaps that cannot be, and for a workspace that is too
/// small.
template <class Out, class In, class Device>
report quantize(Device&& device, const quantize_problem& problem, const quantize_operands<Out, In>& operands,
                const quantize_options& options = {}) {
    if constexpr (is_reachable<named_device_t<Device>>()) {
        quantize_operation<Out, In> operation(device, problem, operands, options);
        return run_operation(device, operation, common_options(options));
    }
}

/// What quantize() would launch, without launching it.
template <class Out, class In, class Device>
quantize_plan plan_quantize(Device&& device, const quantize_problem& problem,
                            const quantize_operands<Out, In>& operands,
                            const quantize_options& options = {}) {
    if constexpr (is_reachable<named_device_t<Device>>()) {
        quantize_operation<Out, In> operation(device, problem, operands, options);
        return plan_operation(device, operation, common_options(options));
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

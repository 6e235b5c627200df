// Products of 8-bit floats whose parts have scales of their own, as DeepSeek's models are trained and stored.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/scaled_call.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/kernel/scaled/problem.hpp>

namespace FADE_NAMESPACE {

/// Multiplies on `device`, each 128 k by the scales of its rows of A and columns of B, and says what ran.
/// In: type of A and B, an 8-bit float; Out: type of D. Behind a gate D has n / 2 columns, and an odd n is
/// refused. The sums of 128 k are those of the matrix unit; f32 holds the sums of parts, in the order of k,
/// and one rounding to Out ends them. The host multiplies elements by their scales before it sums them, with
/// one more rounding to f32 each. Scales lie in the device's memory and are read by the kernel alone. Work is
/// queued on the device's stream; host and emulated devices are done on return. Throws fade::error, with
/// nothing written, for sizes, leading dimensions, strides, pointers or overlaps that cannot be, and in
/// strict mode for a fallback.
template <class In, class Out, class Device, class Epilogue = epilogue::none>
report scaled_gemm(Device&& device, const scaled_gemm_problem& problem,
                   const scaled_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                   const scaled_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        scaled_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue);
        return run_operation(device, operation, {.strict = options.strict});
    }
}

/// What scaled_gemm() would launch, without launching it.
template <class In, class Out, class Device, class Epilogue = epilogue::none>
gemm_plan plan_scaled_gemm(Device&& device, const scaled_gemm_problem& problem,
                           const scaled_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                           const scaled_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        scaled_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue);
        return {plan_operation(device, operation, {.strict = options.strict}), operation.policy(),
                operation.access()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

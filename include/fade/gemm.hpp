// Matrix multiplication on every machine: D = epilogue(alpha * op(A) op(B) + beta * C).
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/sums/call.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/kernel/gemm/problem.hpp>

namespace FADE_NAMESPACE {

/// Multiplies on `device` and says what ran.
/// In: type of A and B; Out: type of C and D; Kernels: which readings are compiled (default: all), and
/// with_policy(...), where the policy shall not be the table's.
/// Sums in accumulator_t<In>; one rounding to Out at the end. Behind the stages of the epilogue row_sums()
/// and column_sums() may stand, which launches behind the product add up. Work is queued on the device's
/// stream; host and emulated devices are done on return. Throws fade::error, with nothing written, for sizes,
/// leading dimensions, pointers or overlaps that cannot be, and in strict mode for a fallback.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
report gemm(Device&& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
            const Epilogue& epilogue = {}, const gemm_options& options = {}) {
    using target = named_device_t<Device>;
    using product = product_with_sums<In, Out, target, Epilogue, Kernels>;
    if constexpr (product::compiles && multiplies_on<target, In, true>() &&
                  fits_device<target, In, Kernels>()) {
        typename product::type operation(device, problem, operands, epilogue, options);
        return run_operation(device, operation, common_options(options));
    }
}

/// What gemm() would launch, without launching it.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
gemm_plan plan_gemm(Device&& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                    const Epilogue& epilogue = {}, const gemm_options& options = {}) {
    using target = named_device_t<Device>;
    using product = product_with_sums<In, Out, target, Epilogue, Kernels>;
    if constexpr (product::compiles && multiplies_on<target, In, true>() &&
                  fits_device<target, In, Kernels>()) {
        typename product::type operation(device, problem, operands, epilogue, options);
        return {plan_operation(device, operation, common_options(options)), operation.policy(),
                operation.access()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

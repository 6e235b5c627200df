// A batch of products whose matrices lie where tables of pointers say, on every machine.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/batched/call.hpp>
#include <fade/device/devices.hpp>
#include <fade/epilogue/all.hpp>

namespace FADE_NAMESPACE {

/// Multiplies `problem.batch` pairs of matrices on `device`, each found by a pointer, and says what ran.
/// In: type of A and B; Out: type of C and D; Kernels: which readings are compiled (default: all). The tables
/// of pointers lie in the device's memory and are read by the kernel alone: no copy and no wait, and a
/// captured graph may find other pointers each time. Pointers of A and B are multiples of options.alignment
/// bytes (16); no D overlaps another one, nor A, B or the C of another product. Strides of the problem are
/// left out. Stages of the epilogue see the number of the product as batch. Sums in accumulator_t<In>; one
/// rounding to Out at the end; the same bits each time. Work is queued on the device's stream; host and
/// emulated devices are done on return. Throws fade::error, with nothing written, for sizes, leading
/// dimensions or tables that cannot be, for pointers that are wrong where they are looked at
/// (check_pointers), and in strict mode for a fallback.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
report batched_gemm(Device&& device, const gemm_problem& problem,
                    const batched_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                    const batched_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        batched_operation<In, Out, target, Epilogue, Kernels> operation(device, problem, operands, epilogue,
                                                                        options);
        return run_operation(device, operation, {.strict = options.strict});
    }
}

/// What batched_gemm() would launch, without launching it.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
gemm_plan plan_batched_gemm(Device&& device, const gemm_problem& problem,
                            const batched_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                            const batched_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        batched_operation<In, Out, target, Epilogue, Kernels> operation(device, problem, operands, epilogue,
                                                                        options);
        return {plan_operation(device, operation, {.strict = options.strict}), operation.policy(),
                operation.access()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

// Many products at once on every machine: the rows of each group times a matrix of its own, or times rows.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/grouped/along_k_call.hpp>
#include <fade/device/grouped_call.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/kernel/grouped/along_k_problem.hpp>
#include <fade/kernel/grouped/problem.hpp>

namespace FADE_NAMESPACE {

/// Multiplies the rows of each group by its own B on `device`, and says what ran: experts of a mixture, or
/// adapters of a batch of requests.
/// In: type of A and B; Out: type of C and D. `ends` and `row_list` lie in the device's memory and are read
/// by the kernel alone: no copy and no wait, and a captured graph may find other numbers each time. Stages of
/// the epilogue see the row of D, and as batch the group. Sums in accumulator_t<In>; one rounding to Out at
/// the end; the same bits each time. Work is queued on the device's stream; host and emulated devices are
/// done on return. Throws fade::error, with nothing written, for sizes, leading dimensions, pointers or
/// overlaps that cannot be, for tables that are wrong where they are looked at (check_indices), and in strict
/// mode for a fallback.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
report grouped_gemm(Device&& device, const grouped_gemm_problem& problem,
                    const grouped_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                    const grouped_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        grouped_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue, options);
        return run_operation(device, operation, {.strict = options.strict});
    }
}

/// What grouped_gemm() would launch, without launching it.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
gemm_plan plan_grouped_gemm(Device&& device, const grouped_gemm_problem& problem,
                            const grouped_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                            const grouped_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        grouped_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue, options);
        return {plan_operation(device, operation, {.strict = options.strict}), operation.policy(),
                operation.access()};
    }
}

/// Multiplies the transposed rows of A of each group by its rows of B on `device`, D[g] = A[g]^T B[g], and
/// says what ran: the gradients of the weights of experts. Stages of the epilogue see the row of D[g], and as
/// batch the group. A group may be empty, and may begin at any row. Otherwise as grouped_gemm().
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
report grouped_k_gemm(Device&& device, const grouped_k_gemm_problem& problem,
                      const grouped_k_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                      const grouped_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        grouped_k_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue,
                                                                 options);
        return run_operation(device, operation, {.strict = options.strict});
    }
}

/// What grouped_k_gemm() would launch, without launching it.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
gemm_plan plan_grouped_k_gemm(Device&& device, const grouped_k_gemm_problem& problem,
                              const grouped_k_gemm_operands<In, Out>& operands, const Epilogue& epilogue = {},
                              const grouped_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && multiplies_on<target, In>()) {
        grouped_k_operation<In, Out, target, Epilogue> operation(device, problem, operands, epilogue,
                                                                 options);
        return {plan_operation(device, operation, {.strict = options.strict}), operation.policy(),
                operation.access()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

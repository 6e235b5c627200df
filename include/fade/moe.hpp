// Mixtures of experts on every machine: which experts a token gets, its place among their rows, and the sum
// of what they made. The products between are grouped_gemm.hpp's, or those with quantised weights, here.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/grouped/weight_call.hpp>
#include <fade/device/moe_call.hpp>
#include <fade/device/row_call.hpp>
#include <fade/grouped_gemm.hpp>
#include <fade/kernel/moe/problem.hpp>
#include <fade/kernel/moe/route.hpp>
#include <fade/kernel/rows/types.hpp>
#include <fade/weight_gemm.hpp>

namespace FADE_NAMESPACE {

/// choices[token, i] and weights[token, i]: the experts of a token's top_k largest logits, and what they
/// count for.
/// In: f32, f16, bf16; weights are f32. Of equal logits the first expert comes first, and NaN before all
/// numbers. Work is queued on the device's stream; host and emulated devices are done on return. Throws
/// fade::error with nothing written for sizes, strides or pointers that cannot be.
template <class In, class Device>
report moe_route(Device& device, const moe_route_problem& p, const In* logits, int* choices, float* weights,
                 const operation_options& options = {}) {
    kernel::check_row_types<In>();
    kernel::check_route(p, choices, weights);
    const kernel::moe_route_rows<In> op{
        {logits, p.logits_stride}, choices, weights, p.top_k, p.scoring, p.renormalize,
        float(p.weight_scale)};
    return run_rows(device, "moe_route", {p.tokens, p.experts}, op, options);
}

/// Sorts the choices of all tokens by expert, those of one expert in the order of their tokens: the tables
/// that grouped_gemm() and moe_combine() read. A choice outside the experts is dropped: its slot is -1, and
/// rows behind the last end are not written. The same tables each time. Otherwise as moe_route().
template <class Device>
report moe_dispatch(Device& device, const moe_dispatch_problem& p, const moe_dispatch_operands& tables,
                    const operation_options& options = {}) {
    moe_dispatch_operation operation(device, p, tables);
    return run_operation(device, operation, options);
}

/// y[t] = the sum over j of weights[t, j] * x[slots[t, j]], in f32 and in the order of j, so that a call
/// gives the same bits each time.
/// In, Out: f32, f16, bf16. Otherwise as moe_route().
template <class In, class Out = In, class Device>
report moe_combine(Device& device, const moe_combine_problem& p, const moe_combine_operands<In, Out>& memory,
                   const operation_options& options = {}) {
    kernel::check_row_types<In, Out>();
    moe_combine_operation<In, Out> operation(device, p, memory);
    return run_operation(device, operation, options);
}

/// Multiplies the rows of each group by quantised weights of its own on `device`, and says what ran: the
/// experts of a mixture, grouped_weight_gemm<weights::gptq(), f16>(...).
/// Format, In, Out and numbers are as of weight_gemm(), groups, `ends` and `row_list` as of grouped_gemm():
/// tables lie in the device's memory, and the call copies nothing and waits for nothing. Stages of the
/// epilogue see the row of D, and as batch the group. The same bits each time. Work is queued on the device's
/// stream; host and emulated devices are done on return. Throws fade::error, with nothing written, for sizes,
/// leading dimensions, pointers, alignments or overlaps that cannot be, and for tables that are wrong where
/// they are looked at (check_indices).
template <weight_format Format, class In, class Out = In, class Device, class Epilogue = epilogue::none>
report grouped_weight_gemm(Device&& device, const grouped_weight_gemm_problem& problem,
                           const grouped_weight_gemm_operands<Format, In, Out>& operands,
                           const Epilogue& epilogue = {}, const grouped_weight_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && detail::multiplies_weights<target, In, Format>()) {
        grouped_weight_operation<Format, In, Out, target, Epilogue> operation(device, problem, operands,
                                                                              epilogue, options);
        return run_operation(device, operation, {});
    }
}

/// What grouped_weight_gemm() would launch, without launching it.
template <weight_format Format, class In, class Out = In, class Device, class Epilogue = epilogue::none>
grouped_weight_gemm_plan
plan_grouped_weight_gemm(Device&& device, const grouped_weight_gemm_problem& problem,
                         const grouped_weight_gemm_operands<Format, In, Out>& operands,
                         const Epilogue& epilogue = {}, const grouped_weight_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && detail::multiplies_weights<target, In, Format>()) {
        grouped_weight_operation<Format, In, Out, target, Epilogue> operation(device, problem, operands,
                                                                              epilogue, options);
        return {plan_operation(device, operation, {}), operation.policy()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

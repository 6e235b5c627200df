// Attention on every machine: O = softmax(rules(scale * Q K^T)) V, exact, in memory proportional to the
// sequences.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/attention/call.hpp>
#include <fade/kernel/attention/problem.hpp>

namespace FADE_NAMESPACE {

/// Computes attention on `device` and says what ran.
/// In: type of q, k and v; Out: type of o; Kernels: with_policy(...), where the policy shall not be the
/// table's. Scores, softmax and sums are f32 and probabilities are rounded
/// once to the type that is multiplied (In; f16 for 8-bit floats); no buffer of seq_q x seq_k exists. Queries
/// that see no key get zeros, and minus infinity in lse. Tensors that lie in no aligned 16-byte runs are
/// copied to the workspace first, which the report says. `rule` is one's own: a type with score_mod, mask_mod
/// or both (see score_mod.hpp), carried to the device by value. Work is queued on the device's stream; host
/// and emulated devices are done on return. Throws fade::error, with nothing written, for sizes, strides,
/// pointers or overlaps that cannot be, for problems that a passed policy is not for, and in strict mode for
/// such copies.
template <class In, class Out = In, attention_kernels Kernels = attention_kernels{}, class Device,
          class Rule = no_rule>
report attention(Device&& device, const attention_problem& problem,
                 const attention_operands<In, Out>& operands, const attention_options& options = {},
                 const Rule& rule = {}) {
    using target = named_device_t<Device>;
    if constexpr (is_reachable<target>() && fits_device<target, In, Kernels>()) {
        attention_operation<In, Out, target, Rule, Kernels> operation(device, problem, operands, options,
                                                                      rule);
        return run_operation(device, operation, common_options(options));
    }
}

/// What attention() would launch, without launching it.
template <class In, class Out = In, attention_kernels Kernels = attention_kernels{}, class Device,
          class Rule = no_rule>
attention_plan plan_attention(Device&& device, const attention_problem& problem,
                              const attention_operands<In, Out>& operands,
                              const attention_options& options = {}, const Rule& rule = {}) {
    using target = named_device_t<Device>;
    if constexpr (is_reachable<target>() && fits_device<target, In, Kernels>()) {
        attention_operation<In, Out, target, Rule, Kernels> operation(device, problem, operands, options,
                                                                      rule);
        attention_plan plan{plan_operation(device, operation, common_options(options))};
        plan.policy = operation.policy(), plan.variant = operation.variant();
        plan.main_launch = operation.main_launch();
        return plan;
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

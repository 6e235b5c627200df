// An attention as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/attention.hpp>

namespace fade::bench {

/// The policy, and before it the tile of queries and keys that it means.
inline std::vector<policy_field> fields_of(const attention_plan& plan) {
    std::vector<policy_field> out = fields_of(plan.policy);
    out.insert(out.begin(), {"block_tile", "", {plan.policy.queries(), plan.policy.keys}});
    return out;
}

inline attention_call moved(attention_call call, const auto& there) {
    call.q = there(call.q), call.k = there(call.k), call.v = there(call.v), call.o = there(call.o),
    call.lse = there(call.lse);
    call.alibi = there(call.alibi), call.bias = there(call.bias), call.sink = there(call.sink),
    call.lengths = there(call.lengths), call.table = there(call.table), call.starts = there(call.starts);
    call.scales_q = there(call.scales_q), call.scales_k = there(call.scales_k),
    call.scales_v = there(call.scales_v);
    return call;
}

template <class In_, class Out_>
class attention_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = attention_runner;

    explicit attention_task(const attention_call& call) : call_(call) {}

    const attention_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        return fade::attention<In, Out>(device, call_.problem, operands(), options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        const attention_plan p = plan_attention<In, Out>(device, call_.problem, operands(), options());
        kernel_choice out = choice_of(p, fields_of(p));
        out.main_launch = p.main_launch;
        return out;
    }

private:
    attention_operands<In, Out> operands() const {
        const auto* lengths = static_cast<const int*>(call_.lengths);
        return {.q = static_cast<const In*>(call_.q),
                .k = static_cast<const In*>(call_.k),
                .v = static_cast<const In*>(call_.v),
                .o = static_cast<Out*>(call_.o),
                .lse = static_cast<float*>(call_.lse),
                .alibi = static_cast<const float*>(call_.alibi),
                .bias = static_cast<const float*>(call_.bias),
                .sink = static_cast<const float*>(call_.sink),
                .lengths_q = lengths,
                .lengths_k = lengths,
                .starts_k = static_cast<const int*>(call_.starts),
                .block_table = static_cast<const int*>(call_.table),
                .scales = {static_cast<const float*>(call_.scales_q),
                           static_cast<const float*>(call_.scales_k),
                           static_cast<const float*>(call_.scales_v), call_.head_scales}};
    }
    attention_options options() const {
        return {.split_kv = call_.split_kv,
                .strict = call_.strict,
                .workspace = call_.workspace,
                .workspace_bytes = call_.workspace_bytes};
    }

    attention_call call_;
};

}  // namespace fade::bench

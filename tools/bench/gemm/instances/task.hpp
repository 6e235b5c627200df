// A multiplication as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/gemm.hpp>

namespace fade::bench {

template <class In, class Out>
gemm_operands<In, Out> operands_of(const gemm_call& call) {
    return {static_cast<const In*>(call.a), static_cast<const In*>(call.b), static_cast<const Out*>(call.c),
            static_cast<Out*>(call.d)};
}

inline gemm_options options_of(const gemm_call& call) {
    return {.strict = call.strict,
            .split_k = call.split_k,
            .workspace = call.workspace,
            .workspace_bytes = call.workspace_bytes};
}

inline stage_kind kind_of(const stage& s) {
    for (int k = 0; k <= int(stage_kind::dsilu); ++k)
        if (s.name == name(stage_kind(k))) return stage_kind(k);
    throw error("epilogue", std::string(s.name), "no such stage can be chosen at run time");
}

template <class Out>
any_chain<Out> any_chain_of(const gemm_call& call) {
    any_chain<Out> out;
    for (const stage_use& s : call.epilogue) {
        const bool scales = s.what->name == "scale";
        out.push(kind_of(*s.what), static_cast<const Out*>(s.values), s.row, s.batch_stride,
                 float(scales ? scale_factor : clamp_low), float(clamp_high));
    }
    return out;
}

inline gemm_call moved(gemm_call call, const auto& there) {
    call.a = there(call.a), call.b = there(call.b), call.c = there(call.c), call.d = there(call.d);
    for (stage_use& s : call.epilogue) s.values = there(s.values);
    return call;
}

/// Every chain of stages, as one kernel that looks at each stage when it runs.
struct any_chain_only {
    static constexpr bool any = true;
    template <class Out, class F>
    static auto with(const gemm_call&, const any_chain<Out>& stages, const F& f) {
        return f(stages);
    }
};

/// A call with the chains that its object was compiled with.
template <class In_, class Out_, class Chains>
class gemm_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = gemm_runner;

    explicit gemm_task(const gemm_call& call) : call_(call) {
        if constexpr (Chains::any) stages_ = any_chain_of<Out>(call);
    }

    const gemm_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        return Chains::template with<Out>(call_, stages_, [&](const auto& chain) {
            return fade::gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), chain,
                                       options_of(call_));
        });
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        return Chains::template with<Out>(call_, stages_, [&](const auto& chain) {
            const gemm_plan p = plan_gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), chain,
                                                   options_of(call_));
            return choice_of(p, fields_of(p.policy));
        });
    }

private:
    gemm_call call_;
    any_chain<Out> stages_;  // put together once
};

}  // namespace fade::bench

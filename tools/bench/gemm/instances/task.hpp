// A multiplication as the library's own call.
#pragma once
#include <fade/gemm.hpp>
#include "../../instances/launches.hpp"
#include "../call.hpp"

namespace fade::bench {

template <class In, class Out>
gemm_operands<In, Out> operands_of(const gemm_call& call) {
    return {static_cast<const In*>(call.a), static_cast<const In*>(call.b), static_cast<const Out*>(call.c), static_cast<Out*>(call.d)};
}

inline gemm_options options_of(const gemm_call& call) {
    return {.strict = call.strict, .split_k = call.split_k, .workspace = call.workspace, .workspace_bytes = call.workspace_bytes};
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
        out.push(kind_of(*s.what), static_cast<const Out*>(s.values), s.row, s.batch_stride, float(scales ? scale_factor : clamp_low), float(clamp_high));
    }
    return out;
}

inline std::vector<policy_field> fields_of(const gemm_policy& p) {
    return {{"block_tile", "", {p.block_tile.m, p.block_tile.n, p.block_tile.k}},
            {"wave_tile", "", {p.wave_tile.m, p.wave_tile.n}},
            {"pipeline", name(p.pipeline), {}},
            number_field("group_rows", p.group_rows),
            number_field("xcd_chunk", p.xcd_chunk),
            number_field("waves_per_simd", p.waves_per_simd)};
}

/// A call with any chain, put together once.
template <class In_, class Out_>
class gemm_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = gemm_runner;

    explicit gemm_task(const gemm_call& call) : call_(call), epilogue_(any_chain_of<Out>(call)) {}

    const gemm_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        return fade::gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), epilogue_, options_of(call_));
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        const gemm_plan p = plan_gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), epilogue_, options_of(call_));
        return choice_of(p, fields_of(p.policy));
    }

private:
    gemm_call call_;
    any_chain<Out> epilogue_;
};

}  // namespace fade::bench

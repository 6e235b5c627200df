// A multiplication on a GPU: with one of the chains that an object was compiled with.
#pragma once
#include "../../instances/gpu_runner.hpp"
#include "chains.hpp"

namespace fade::bench {

inline gemm_call moved(gemm_call call, const auto& there) {
    call.a = there(call.a), call.b = there(call.b), call.c = there(call.c), call.d = there(call.d);
    for (stage_use& s : call.epilogue) s.values = there(s.values);
    return call;
}

template <class In_, class Out_, class Chains>
class gemm_gpu_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = gemm_runner;

    explicit gemm_gpu_task(const gemm_call& call) : call_(call) {}

    const gemm_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        return Chains::template with<Out>(call_, [&](const auto& chain) {
            return fade::gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), chain, options_of(call_));
        });
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        return Chains::template with<Out>(call_, [&](const auto& chain) {
            const gemm_plan p = plan_gemm<In, Out>(device, call_.problem, operands_of<In, Out>(call_), chain, options_of(call_));
            return choice_of(p, fields_of(p.policy));
        });
    }

private:
    gemm_call call_;
};

template <class Device, class Target, class In, class Out, class Chains>
class gemm_gpu_runner : public gpu_runner<Device, Target, gemm_gpu_task<In, Out, Chains>> {
public:
    using gpu_runner<Device, Target, gemm_gpu_task<In, Out, Chains>>::gpu_runner;
    /// A chain that no object has is taken too, and refused by its name.
    bool takes(const gemm_call& call) const override { return Chains::has(call) || !all_chains::has(call); }
    std::vector<std::string> chains() const override { return compiled_chains(); }
};

}  // namespace fade::bench

// A multiplication on a GPU: with one of the chains that an object was compiled with.
#pragma once
#include "../../instances/gpu_runner.hpp"
#include "chains.hpp"

namespace fade::bench {

template <class Device, class Target, class In, class Out, class Chains>
class gemm_gpu_runner : public gpu_runner<Device, Target, gemm_task<In, Out, Chains>> {
public:
    using gpu_runner<Device, Target, gemm_task<In, Out, Chains>>::gpu_runner;
    /// A chain that no object has is taken too, and refused by its name.
    bool takes(const gemm_call& call) const override { return Chains::has(call) || !all_chains::has(call); }
    std::vector<std::string> chains() const override { return compiled_chains(); }
};

}  // namespace fade::bench

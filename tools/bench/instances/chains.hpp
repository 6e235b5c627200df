// The epilogues that GPU kernels are compiled with.
#pragma once
#include "call.hpp"

namespace fade::bench {

inline const std::vector<std::string>& compiled_chains() {
    static const std::vector<std::string> all = {"bias", "bias+gelu", "residual"};
    return all;
}

/// f with the compile-time chain of a call, one of those above or none.
template <class Out, class F>
auto with_compiled_chain(const gemm_call& call, const F& f) {
    const auto& stages = call.epilogue;
    const auto is = [&](std::size_t i, const char* name) { return stages.size() > i && stages[i].what->name == name; };
    const auto* values = stages.empty() ? nullptr : static_cast<const Out*>(stages[0].values);
    if (stages.empty()) return f(epilogue::none{});
    if (stages.size() == 1 && is(0, "bias")) return f(bias(values));
    if (stages.size() == 2 && is(0, "bias") && is(1, "gelu")) return f(bias(values) | gelu());
    if (stages.size() == 1 && is(0, "residual")) return f(residual(values, stages[0].row, stages[0].batch_stride));
    throw error("epilogue", "no chain of this program", "its kernels hold none, bias, bias+gelu and residual");
}

}  // namespace fade::bench

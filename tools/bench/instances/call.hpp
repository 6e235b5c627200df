// An untyped call as the library's own, and the library's plan as the program's.
#pragma once
#include <dlfcn.h>
#include <fade/gemm.hpp>
#include "../runner.hpp"

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
    const auto number = [](const char* name, int value) { return policy_field{name, "", {value}}; };
    return {{"block_tile", "", {p.block_tile.m, p.block_tile.n, p.block_tile.k}},
            {"wave_tile", "", {p.wave_tile.m, p.wave_tile.n}},
            {"pipeline", name(p.pipeline), {}},
            number("group_rows", p.group_rows),
            number("xcd_chunk", p.xcd_chunk),
            number("waves_per_simd", p.waves_per_simd)};
}

/// The name of a kernel as the linker knows it; kernels of this CPU have none, and are known by their short name.
inline launch launch_of(const planned_launch& from, const std::string& kernel) {
    launch out{.symbol = kernel, .exact = false, .dynamic_lds = from.dynamic_lds, .kernarg = from.kernarg};
    std::copy(from.grid, from.grid + 3, out.grid);
    std::copy(from.block, from.block + 3, out.block);
    Dl_info found{};
    if (from.entry && dladdr(from.entry, &found) && found.dli_sname) out.symbol = found.dli_sname, out.exact = true;
    return out;
}

inline gemm_choice choice_of(const gemm_plan& plan) {
    gemm_choice out{.report = plan.report, .kernel = plan.report.chosen.substr(0, plan.report.chosen.find(' ')), .policy = fields_of(plan.policy)};
    for (const planned_launch& l : plan.launches)
        if (l.grid[0] > 0 && l.grid[1] > 0 && l.grid[2] > 0) out.launches.push_back(launch_of(l, out.kernel));
    out.workspace_bytes = std::int64_t(plan.workspace_bytes);
    return out;
}

}  // namespace fade::bench

// What calls of products say of the kernel that they chose.
#pragma once
#include <fade/core/report.hpp>
#include <fade/tune/gemm/select.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// "grouped_gemm_nt_large 256x128x32, ring"
inline std::string kernel_words(const char* operation, const gemm_choice& choice, const gemm_policy& policy) {
    const tile_shape& t = policy.block_tile;
    return std::string(operation) + "_" + fade::name(choice.access) + "_" + name(choice.size) + " " +
           std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k) + ", " +
           block::name(policy.pipeline);
}

/// Of a D without elements, which no kernel writes.
inline void report_nothing(report& of) {
    of.fallback = false, of.evidence = "none is needed";
    of.chosen = "nothing", of.why = "D has no elements, so nothing is launched";
}

}  // namespace FADE_NAMESPACE::tune

// What is known of convolutions' kernels, and of those that lay operands out for a product, and finish what
// it leaves.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/core/lists.hpp>
#include <fade/tune/conv/policies.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// One kernel whose machine code was read: without strides above 1 in backward data. Figures are shares of
/// the main loop, in percent, as audit_figure has them; `scalars` registers are kept in lanes.
struct conv_audit {
    std::string_view arch;
    int clang;
    dtype in;
    conv_pass pass;
    kernel::channel_access access;
    tile_shape block_tile, wave_tile;
    block::pipeline_kind pipeline;
    int waves_per_simd;
    int bound, sim, scalars;

    constexpr bool is_of(std::string_view a, dtype t, const conv_kernel& k, const gemm_policy& p) const {
        return arch == a && in == t && k == conv_kernel{pass, false, access} && block_tile == p.block_tile &&
               wave_tile == p.wave_tile && pipeline == p.pipeline && waves_per_simd == p.waves_per_simd;
    }
};

inline constexpr conv_audit conv_audits[] = {
#include <fade/tune/conv/audited.inc>
};

/// The evidence for one kernel of implicit products, in words. No row speaks for another type, pass, policy
/// or architecture.
inline std::string conv_evidence(std::string_view arch, dtype in, const conv_kernel& kernel,
                                 const gemm_policy& policy) {
    for (const conv_audit& a : conv_audits)
        if (a.is_of(arch, in, kernel, policy))
            return "static audit of this pass in " + std::string(name(in)) + " with these tiles, clang " +
                   std::to_string(a.clang) + ", without an epilogue: bound " + std::to_string(a.bound) +
                   " %, played in order " + std::to_string(a.sim) + " %; no GPU was timed";
    return "none: nobody audited or measured convolutions on " + std::string(arch);
}

/// For a report of im2col, Winograd or mec; `what` names its kernels. Each architecture and type of the list
/// was compiled (clang 22, epilogue none) and looked at by itself.
inline std::string evidence_beside_product(const std::string& what, std::string_view arch, dtype in) {
    constexpr std::string_view archs[] = {"gfx942", "gfx1100", "gfx1201", "gfx1030"};
    constexpr dtype types[] = {dtype::f32, dtype::f16, dtype::bf16};
    const std::string on = " on " + std::string(arch);
    if (!holds_value(archs, arch) || !holds_value(types, in))
        return "none: nobody audited or measured " + what + on;
    return "static audit alone: " + what + " spill no registers and use no scratch" + on +
           "; nobody measured them";
}

/// For a report of folded taps.
inline std::string evidence_of_folded(std::string_view arch, dtype in) {
    if (arch == "sm_90a" && in == dtype::f16)
        return "measured on an H200 in f16, 2026-11-28, beside the kernels before; results were checked "
               "against theirs and PyTorch's (bench/experiments.md)";
    return "none: nobody audited or measured folded taps of " + std::string(name(in)) + " on " +
           std::string(arch);
}

}  // namespace FADE_NAMESPACE::tune

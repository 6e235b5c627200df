// What the choice of a policy rests on: for each architecture, type, layout and policy its own figure, or
// that there is none.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/tune/gemm/access.hpp>
#include <fade/tune/gemm/times.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// Shares of the main loop, in percent: in which the unit that multiplies would be busy if nothing waited
/// for anything else, and in which it is when the loop is played in order.
struct audit_figure {
    int bound, sim;
};

/// One kernel of each layout whose machine code was read. A figure is of this policy: others have none.
struct gemm_audit {
    std::string_view arch;
    int clang;
    dtype in;
    tile_shape block_tile, wave_tile;
    block::pipeline_kind pipeline;
    int waves_per_simd;
    struct {
        audit_figure of[4];  // nn nt tn tt
    } layouts;

    constexpr bool is_of(std::string_view a, dtype t, const gemm_policy& p) const {
        return arch == a && in == t && block_tile == p.block_tile && wave_tile == p.wave_tile &&
               pipeline == p.pipeline && waves_per_simd == p.waves_per_simd &&
               p.schedule == gemm_schedule::tiles;
    }
};

inline constexpr gemm_audit gemm_audits[] = {
#include <fade/tune/gemm/audited.inc>
};

/// One kernel that was measured beside a peer.
struct gemm_measurement {
    std::string_view arch;
    dtype in;
    gemm_layout layout;
    operand_access access;
    gemm_policy policy;  ///< that of the day; without tiles where each problem is cut in its own way
    const char* words;
};

inline constexpr gemm_measurement gemm_measurements[] = {
#include <fade/tune/gemm/measured.inc>
};

/// The evidence for one kernel, in words. No row speaks for another type, layout, policy or architecture, nor
/// one of whole tiles for shared ones.
inline std::string gemm_evidence(std::string_view arch, dtype in, gemm_layout layout, operand_access access,
                                 const gemm_policy& policy) {
    for (const gemm_measurement& m : gemm_measurements)
        if (m.arch == arch && m.in == in && m.layout == layout && m.access == access &&
            (m.policy == gemm_policy{} || m.policy == policy))
            return m.words;
    const std::string what = std::string(name(in)) + " " + name(layout) + " with these tiles" +
                             (policy.schedule == gemm_schedule::stream_k ? ", the last ones shared," : "");
    for (const gemm_audit& a : gemm_audits)
        if (access != operand_access::strided && a.is_of(arch, in, policy)) {
            const audit_figure f = a.layouts.of[int(access)];
            return "static audit of " + what + ", clang " + std::to_string(a.clang) +
                   ", without an epilogue: bound " + std::to_string(f.bound) + " %, played in order " +
                   std::to_string(f.sim) + " %; no GPU was timed";
        }
    return "none: nobody audited or measured " + what +
           (access == operand_access::strided && arch != "host" ? ", read element by element" : "") + " on " +
           std::string(arch) +
           (arch == "sm_90a" && times_of(policy) ? "; times expected of them are those of bf16" : "");
}

}  // namespace FADE_NAMESPACE::tune

// What the choice of attention's policies rests on: for each architecture, type, kernel and policy its own
// figure, or that there is none.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/tune/attention/rows.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// A kernel whose machine code was read. A figure is of this policy: others have none.
struct attention_audit {
    std::string_view arch;
    int clang;
    dtype in;
    attention_variant variant;
    int head_class;
    attention_policy policy;
    /// Shares of the main loop, in percent: in which the unit that multiplies would be busy if nothing waited
    /// for anything else, and in which it is when the loop is played in order. 0: read for spills and scratch
    /// alone, since the kernel waits for memory or its loop cannot be played.
    struct {
        int bound, sim;
    } figure;
};

inline constexpr attention_audit attention_audits[] = {
#include <fade/tune/attention/audited.inc>
};

/// A kernel that was measured beside a peer.
struct attention_measurement {
    std::string_view arch;
    dtype in;
    attention_variant variant;
    int head_class;
    attention_policy policy;  ///< that of the day; without waves where each problem is cut in its own way
    const char* words;
};

inline constexpr attention_measurement attention_measurements[] = {
#include <fade/tune/attention/measured.inc>
};

/// Is a row of evidence that of this kernel?
template <class Row>
constexpr bool speaks_for(const Row& row, std::string_view arch, dtype in, attention_variant variant,
                          int head_class, const attention_policy& policy) {
    return row.arch == arch && row.in == in && row.variant == variant && row.head_class == head_class &&
           (row.policy.waves == 0 || row.policy == policy);
}

/// The evidence for one kernel, in words. No row speaks for another type, kernel, policy or architecture.
inline std::string attention_evidence(std::string_view arch, dtype in, attention_variant variant,
                                      int head_class, const attention_policy& policy) {
    for (const attention_measurement& m : attention_measurements)
        if (speaks_for(m, arch, in, variant, head_class, policy)) return m.words;
    const std::string what = std::string(fade::name(in)) + " attention_" + name(variant) + "_d" +
                             std::to_string(head_class) + " with these tiles";
    for (const attention_audit& a : attention_audits) {
        if (!speaks_for(a, arch, in, variant, head_class, policy)) continue;
        const std::string read = "static audit of " + what + ", clang " + std::to_string(a.clang) + ": ";
        if (a.figure.bound == 0) return read + "neither spills nor scratch; no GPU was timed";
        return read + "bound " + std::to_string(a.figure.bound) + " %, played in order " +
               std::to_string(a.figure.sim) + " %; no GPU was timed";
    }
    return "none: nobody audited or measured " + what + " on " + std::string(arch);
}

}  // namespace FADE_NAMESPACE::tune

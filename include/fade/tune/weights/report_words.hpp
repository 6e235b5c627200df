// What a product with quantised weights says of itself: one text for all formats, which compilers read once.
#pragma once
#include <fade/kernel/weights/check.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/weights/evidence.hpp>
#include <string>
#include <utility>

namespace FADE_NAMESPACE::tune {

/// What was chosen for such a product.
struct weight_decision {
    gemm_policy policy;
    size_class size;
    int splits;        ///< workgroups that share a tile's k through memory
    int ranks;         ///< in a cluster
    int asked_splits;  ///< by the caller; 0: none
    const std::string& why;
};

/// The report of a call; who calls adds its epilogue.
inline report weight_report(const weight_gemm_problem& p, const weight_format& format, dtype in, dtype out,
                            const weight_decision& d, std::string device, std::string_view arch) {
    const tile_shape& t = d.policy.block_tile;
    report r{.requested = "weight_gemm " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " +
                          std::to_string(p.k) + ", " + fade::name(in) + " by " +
                          in_words(kernel::with_group(format, p)) + " to " + fade::name(out),
             .chosen = std::string("weight_gemm_") + name(d.size) + " " + std::to_string(t.m) + "x" +
                       std::to_string(t.n) + "x" + std::to_string(t.k) + ", " +
                       block::name(d.policy.pipeline) +
                       (d.splits > 1  ? ", k shared by " + std::to_string(d.splits)
                        : d.ranks > 1 ? ", k shared in clusters of " + std::to_string(d.ranks)
                                      : ""),
             .why = d.why,
             .device = std::move(device),
             .arch = std::string(arch),
             .fallback = false,
             .evidence = weight_evidence(arch, format, in, out, d.policy, p.m, p.n, d.asked_splits != 0)};
    if (d.asked_splits > 1 && d.splits * d.ranks != d.asked_splits)
        r.why += "; k is too shallow for " + std::to_string(d.asked_splits) +
                 " equal parts of whole steps, so " + std::to_string(d.splits * d.ranks) + " share it";
    return r;
}

}  // namespace FADE_NAMESPACE::tune

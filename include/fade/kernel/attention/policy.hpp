// How an attention is cut.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// A workgroup takes waves x wave_queries queries of one head and walks over its keys, `keys` at a time.
struct attention_policy {
    int waves = 4;          ///< of a workgroup
    int wave_queries = 32;  ///< queries of a wave
    int keys = 64;          ///< of a step
    int head_dim = 128;     ///< what head dimensions are padded to
    int span = 0;  ///< of the decoding kernel: how many dimensions of queries and keys lie in shared memory
                   ///< at once; 0: all
    int value_parts = 1;               ///< workgroups that share the columns of O, each computing all scores
    bool queries_in_registers = true;  ///< else the queries stay in shared memory
    int rows_at_once =
        0;  ///< atoms of keys or values that are read before they are multiplied; 0: all of a step
    bool software_pipelined =
        false;  ///< the plain kernel computes the scores of a tile beside the softmax of the tile before
    bool lazy_rescaling =
        false;  ///< the plain kernel moves the maximum of a query only where a tile passes it by far
    bool by_warpgroup =
        false;  ///< four waves share a matrix unit that reads keys and values from shared memory itself
    bool tma = false;  ///< by group: keys and values are copied in boxes, by maps
    int stages = 1;    ///< tiles of keys, and of values, in shared memory: by group all but one are on their
                       ///< way; else 1
    int waves_per_simd = 2;  ///< occupancy that the compiler must leave registers for
    /// Are all fields equal?
    constexpr bool operator==(const attention_policy&) const = default;
    /// Of a workgroup.
    constexpr int queries() const { return waves * wave_queries; }
};

/// Calls f(name, value) for each field. A field that is not bound here does not compile.
template <class F>
constexpr void each_field(const attention_policy& policy, const F& f) {
    const auto& [waves, wave_queries, keys, head_dim, span, value_parts, queries_in_registers, rows_at_once,
                 software_pipelined, lazy_rescaling, by_warpgroup, tma, stages, waves_per_simd] = policy;
    f("waves", waves), f("wave_queries", wave_queries), f("keys", keys), f("head_dim", head_dim);
    f("span", span), f("value_parts", value_parts), f("queries_in_registers", queries_in_registers);
    f("rows_at_once", rows_at_once), f("software_pipelined", software_pipelined),
        f("lazy_rescaling", lazy_rescaling);
    f("by_warpgroup", by_warpgroup), f("tma", tma), f("stages", stages), f("waves_per_simd", waves_per_simd);
}

}  // namespace FADE_NAMESPACE

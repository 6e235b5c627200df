// How an attention is cut.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// In which order a workgroup does the work of its tiles of keys.
enum class attention_schedule {
    in_order,            ///< scores, softmax and outputs of a tile, then those of the next
    software_pipelined,  ///< the scores of a tile beside the softmax of the tile before
    lazy_rescaling,      ///< in order, but the maximum of a query moves only where a tile passes it by far
    by_warpgroup,        ///< four waves share a matrix unit that reads keys and values from shared memory
};

/// How keys and values come to shared memory.
enum class attention_copy {
    registers,  ///< through registers of the lanes that load them
    async,      ///< past the registers, by copies that lanes start
    tma,        ///< in boxes, by a copy unit that reads maps of tensors
};

/// Where queries stay while keys pass.
enum class attention_q_storage { shared, registers };

/// The word of a choice, as reports and tables have it.
constexpr const char* name(attention_schedule x) {
    constexpr const char* names[] = {"in_order", "software_pipelined", "lazy_rescaling", "by_warpgroup"};
    return names[int(x)];
}
/// The word of a choice, as reports and tables have it.
constexpr const char* name(attention_copy x) {
    constexpr const char* names[] = {"registers", "async", "tma"};
    return names[int(x)];
}
/// The word of a choice, as reports and tables have it.
constexpr const char* name(attention_q_storage x) {
    return x == attention_q_storage::shared ? "shared" : "registers";
}

/// A workgroup takes waves x wave_queries queries of one head and walks over its keys, `keys` at a time.
struct attention_policy {
    int waves = 4;          ///< of a workgroup
    int wave_queries = 32;  ///< queries of a wave
    int keys = 64;          ///< of a step
    int head_dim = 128;     ///< what head dimensions are padded to
    int span = 0;  ///< of the decoding kernel: how many dimensions of queries and keys lie in shared memory
                   ///< at once; 0: all
    int value_parts = 1;  ///< workgroups that share the columns of O, each computing all scores
    /// Where queries stay.
    attention_q_storage q_storage = attention_q_storage::registers;
    /// Atoms of keys or values that are read before they are multiplied; 0: all of a step.
    int rows_at_once = 0;
    /// The order of work; the plain kernel has all of them, others in_order and by_warpgroup.
    attention_schedule schedule = attention_schedule::in_order;
    /// How keys and values come; by_warpgroup they are copied asynchronously or by tma, else through
    /// registers.
    attention_copy copy = attention_copy::registers;
    int stages = 1;  ///< tiles of keys, and of values, in shared memory: by_warpgroup all but one are on
                     ///< their way; else 1
    int waves_per_simd = 2;  ///< occupancy that the compiler must leave registers for
    /// Are all fields equal?
    constexpr bool operator==(const attention_policy&) const = default;
    /// Of a workgroup.
    constexpr int queries() const { return waves * wave_queries; }
    /// Do four waves share a matrix unit?
    constexpr bool by_warpgroup() const { return schedule == attention_schedule::by_warpgroup; }
};

/// Calls f(name, value) for each field. A field that is not bound here does not compile.
template <class F>
constexpr void each_field(const attention_policy& policy, const F& f) {
    const auto& [waves, wave_queries, keys, head_dim, span, value_parts, q_storage, rows_at_once, schedule,
                 copy, stages, waves_per_simd] = policy;
    f("waves", waves), f("wave_queries", wave_queries), f("keys", keys), f("head_dim", head_dim);
    f("span", span), f("value_parts", value_parts), f("q_storage", q_storage);
    f("rows_at_once", rows_at_once), f("schedule", schedule), f("copy", copy);
    f("stages", stages), f("waves_per_simd", waves_per_simd);
}

}  // namespace FADE_NAMESPACE

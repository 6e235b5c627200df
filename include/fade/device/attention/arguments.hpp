// The arguments of an attention's kernels, from what was decided.
#pragma once
#include <fade/core/number/score.hpp>
#include <fade/device/attention/workspace.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// The nearest finite number.
inline float in_f32(double x) {
    const double max = -double(hidden_score);
    return float(x > max ? max : x < -max ? -max : x);
}

template <class Setting>
kernel::score_rules score_rules_of(const Setting& s) {
    const attention_problem& p = s.problem;
    const auto& o = s.operands;
    const double below = p.dropout * 4294967296.0;
    return {.softcap = in_f32(p.softcap),
            .inverse_softcap = p.softcap > 0 ? in_f32(1 / p.softcap) : 0.0f,
            .alibi = o.alibi,
            .sink = o.sink,
            .bias = o.bias,
            .bias_batch = p.bias_strides.batch,
            .bias_head = p.bias_strides.head,
            .bias_query = o.bias ? int(p.bias_strides.query) : -1,
            .drop_below = below >= 4294967295.0 ? 0xffffffffu : std::uint32_t(below),
            .keep_scale = float(1 / (1 - p.dropout)),
            .alibi_stride = int(p.alibi_stride),
            .seed = p.seed,
            .offset = p.offset};
}

/// Of a tensor as the caller has it; packed: its sequences lie one behind the other.
inline kernel::sequence_strides strides_in_place(bool packed, const attention_strides& s) {
    return {.batch = packed ? 0 : s.batch, .position = int(s.position), .head = int(s.head)};
}
/// Of a copy.
template <class In>
kernel::sequence_strides strides_of_copy(index dim, index length, index heads) {
    const index row = copied_row<In>(dim);
    return {.batch = length * heads * row, .position = int(heads * row), .head = int(row)};
}

/// How far a query sees; a negative number: everywhere.
inline int seen(index keys) { return keys < 0 || keys > kernel::all_keys / 2 ? kernel::all_keys : int(keys); }

}  // namespace detail

template <class Setting>
typename Setting::arguments arguments_of(const Setting& s) {
    using In = typename Setting::In;
    const attention_problem& p = s.problem;
    const auto& o = s.operands;
    const bool copied_q = s.choice.gathered.q, copied = s.choice.gathered.kv;
    const bool packed_q = o.lengths_q && !copied_q, packed_k = o.lengths_k && !p.page_size;
    const auto keys_strides = [&](const attention_strides& own, index dim) {
        return copied ? detail::strides_of_copy<In>(dim, p.seq_k, p.kv_heads)
                      : detail::strides_in_place(packed_k, own);
    };
    /// What is read of a row: on GPUs whole runs, which only copies may have to be widened to.
    const auto columns = [&](index dim) { return int(s.choice.gathered.any() ? copied_row<In>(dim) : dim); };
    const double scale = p.scale != 0 ? p.scale : 1 / __builtin_sqrt(double(p.head_dim));
    return {.q = o.q,
            .k = o.k,
            .v = o.v,
            .o = o.o,
            .lse = o.lse,
            .q_strides = copied_q ? detail::strides_of_copy<In>(p.head_dim, p.seq_q, p.heads)
                                  : detail::strides_in_place(packed_q, p.q_strides),
            .k_strides = keys_strides(p.k_strides, p.head_dim),
            .v_strides = keys_strides(p.v_strides, p.head_dim_v),
            .o_strides = detail::strides_in_place(o.lengths_q, p.o_strides),
            .seq_q = int(p.seq_q),
            .seq_k = int(p.seq_k),
            .heads = int(p.heads),
            .group = int(p.heads / p.kv_heads),
            .head_dim = columns(p.head_dim),
            .value_dim = columns(p.head_dim_v),
            .output_dim = int(p.head_dim_v),
            .tile_queries = s.policy.queries(),
            .tile_heads = s.choice.tile_heads,
            .last = 0,
            .bottom_right = p.causal != causal_kind::top_left,
            .left = detail::seen(p.window_left),
            .right = p.causal == causal_kind::none ? detail::seen(p.window_right) : 0,
            .scale = detail::in_f32(scale),
            .scale_log2 = detail::in_f32(scale * exact_log2_e),
            .lengths_q = s.lengths_q(),
            .lengths_k = s.lengths_k(),
            .packed_q = packed_q,
            .packed_k = packed_k && !copied,
            .step_q = bool(o.lengths_q),
            .step_k = bool(o.lengths_k),
            .pages = {.table = copied && !p.page_count ? nullptr : o.block_table,
                      .size = kernel::page_size(int(p.page_size)),
                      .width = int(p.table_width),
                      .count = s.page_count(),
                      .in_place = o.block_table && !copied && p.seq_k > 0},
            .rules = detail::score_rules_of(s),
            .splits = s.splits,
            .scales = {.q = o.scales.q, .k = o.scales.k, .v = o.scales.v, .step = o.scales.per_head},
            .starts_k = o.starts_k,
            .rule = s.rule};
}

}  // namespace FADE_NAMESPACE

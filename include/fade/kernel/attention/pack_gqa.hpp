// Heads that share keys in one tile, so that keys and values are read once for all of them: where every
// sequence has one query the heads of a group become queries of one head, for any kernel; the decoding kernel
// takes the queries of all heads of a group as rows, with whatever tells them apart.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// Heads that share keys can stand for queries where nothing tells them apart: no slopes or logits of their
/// own, no random numbers, no position of theirs that a mask asks for.
template <class In, class Out>
bool gqa_packs(const attention_problem& p, const attention_operands<In, Out>& o) {
    const index group = p.kv_heads > 0 ? p.heads / p.kv_heads : 1, max = index(1) << 31;
    const bool sees_all =
        p.causal != causal_kind::top_left && p.window_left < 0;  // the only query stands at the last key
    return p.seq_q == 1 && group > 1 && sees_all && p.dropout == 0 && !o.alibi && !o.sink && !o.bias &&
           !(o.scales.q && o.scales.per_head) && !o.lengths_q && !o.counts_q &&
           p.q_strides.head * group < max && p.o_strides.head * group < max;
}

/// Sequences of so few queries would leave most of a tile empty: where heads share keys, they are decoded.
inline constexpr index few_queries = 16;

/// May queries of all heads of a group be rows of one tile of `tile` rows? They are counted in 32 bits, and
/// so are the bytes between outputs of a tile.
inline bool rows_pack(const attention_problem& p, index tile, index output_bytes) {
    const index group = p.kv_heads > 0 ? p.heads / p.kv_heads : 1, limit = index(1) << 31;
    return group > 1 && p.seq_q * group < limit / 2 &&
           (min_of(p.seq_q, tile) * p.o_strides.position + group * p.o_strides.head) * output_bytes < limit;
}

/// The same attention as one of kv_heads heads with as many queries as a group has heads. The log-sum-exp
/// lies as before.
inline attention_problem packed_gqa(attention_problem p) {
    const index group = p.heads / p.kv_heads;
    const auto packed = [&](const attention_strides& s) {
        return attention_strides{s.batch, s.head, s.head * group};
    };
    p.q_strides = packed(p.q_strides), p.o_strides = packed(p.o_strides);
    p.seq_q = group, p.heads = p.kv_heads, p.causal = causal_kind::none, p.window_right = -1;
    return p;
}

}  // namespace FADE_NAMESPACE::kernel

// Which attention kernel a problem gets, and why.
#pragma once
#include <cstdint>
#include <fade/kernel/attention/pack_gqa.hpp>
#include <fade/tune/attention/policies.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// May the kernels read this tensor in aligned runs of 16 bytes?
inline bool reads_runs(const void* p, const attention_strides& s, index head_dim, int bytes) {
    const auto whole = [&](index elements) { return elements * bytes % 16 == 0; };
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && whole(s.batch) && whole(s.position) &&
           whole(s.head) && whole(head_dim);
}

/// What the plain kernel knows: no limit on the left, nothing done to scores but a positive scale, one for
/// all heads, and no page that may be missing.
template <class In, class Out>
bool is_plain(const attention_problem& p, const attention_operands<In, Out>& o) {
    return p.window_left < 0 && p.page_count == 0 &&
           (p.scale == 0 || p.scale >= double(kernel::min_factor)) && p.softcap == 0 && p.dropout == 0 &&
           !o.alibi && !o.bias && !o.sink && !o.starts_k && !o.scales.q && !o.scales.k && !o.scales.v;
}

/// Can hardware copy queries, keys and values by maps? Sequences of one length each, whose strides go forward
/// and stay below 2^40 bytes (the driver's limit); those of copies do.
template <class In, class Out>
bool has_tensor_maps_of(const attention_problem& p, const attention_operands<In, Out>& o, bool q_copied) {
    const auto forward = [](index count, index stride) {
        return count == 1 || (stride > 0 && stride < (index(1) << 38));
    };
    const auto all = [&](const attention_strides& s, index length, index heads) {
        return forward(p.batch, s.batch) && forward(length, s.position) && forward(heads, s.head);
    };
    return p.seq_k > 0 && !o.lengths_q && !o.lengths_k && !o.counts_q && !o.counts_k &&
           (q_copied || all(p.q_strides, p.seq_q, p.heads)) && all(p.k_strides, p.seq_k, p.kv_heads) &&
           all(p.v_strides, p.seq_k, p.kv_heads);
}

/// The tensors that are copied before the kernel runs.
struct gathered_tensors {
    bool q = false, kv = false;
    constexpr bool any() const { return q || kv; }
    std::string names() const { return q && kv ? "q, k and v" : q ? "q" : "k and v"; }
};

struct attention_choice {
    attention_variant variant;
    int head_class;
    gathered_tensors gathered{};
    int splits = 1;      ///< workgroups that share the keys of a tile of queries
    int tile_heads = 1;  ///< heads that share keys and a tile of the decoding kernel
    std::string why{};
};

/// As many workgroups as two on every compute unit, but no more, which would wait for their turn; each has
/// 128 keys or more. `asked` above 0: so many, but none without a tile.
inline int splits_for(const attention_policy& decode, const attention_problem& p, int tile_heads, int asked,
                      int compute_units) {
    if (decode.waves == 0) return 1;
    const index groups = max_of<index>(ceil_div<index>(p.seq_q * tile_heads, decode.queries()) *
                                           decode.value_parts * p.heads / tile_heads * p.batch,
                                       1),
                tiles = max_of<index>(ceil_div<index>(p.seq_k, decode.keys), 1);
    if (asked > 0) return int(min_of<index>(asked, tiles));
    if (groups >= compute_units) return 1;
    return int(max_of<index>(min_of<index>(2 * compute_units / groups, p.seq_k / 128), 1));
}

/// Few queries are decoded where their keys lie in pages or workgroups or heads can share them; many only
/// where that is asked for, or where no other kernel takes such wide heads.
inline bool decodes(const attention_policy& decode, const attention_problem& p, const attention_choice& c,
                    int asked) {
    if (decode.span > 0) return true;
    if (decode.waves == 0 || p.seq_k == 0) return false;
    return asked > 1 || (p.seq_q <= 4 * decode.queries() && (p.page_size > 0 || c.splits > 1)) ||
           (p.seq_q <= kernel::few_queries && c.tile_heads > 1);
}

/// What asked for the decoding kernel.
inline std::string why_decoded(const attention_policy& decode, const attention_problem& p,
                               const attention_choice& c) {
    if (c.splits > 1)
        return "keys are shared among " + std::to_string(c.splits) +
               " workgroups, which the decoding kernel does";
    if (decode.span > 0) return "such wide heads fit only the decoding kernel";
    if (p.page_size > 0) return "few queries of keys that lie in pages are decoded";
    return c.tile_heads > 1 ? "few queries of heads that share keys are decoded"
                            : "sharing keys was asked for, which the decoding kernel does";
}

/// How that kernel takes its heads.
inline std::string how_decoded(const attention_policy& decode, const attention_problem& p,
                               const attention_choice& c) {
    const std::string heads =
        "the " + std::to_string(p.heads / max_of<index>(p.kv_heads, 1)) + " heads that share keys ";
    std::string how =
        c.tile_heads > 1 ? "; the queries of " + heads + "are rows of one tile"
        : p.heads > p.kv_heads
            ? "; " + heads +
                  "have tiles of their own, because their rows of O lie 2 GiB apart or are too many"
            : "";
    if (decode.span > 0)
        how += "; queries and keys pass through shared memory " + std::to_string(decode.span) +
               " dimensions at a time, which is slow";
    return how;
}

/// Policies: the table's, or the one that the caller passed.
template <class Policies, class Arch, class In, class Out>
attention_choice select_attention(const attention_problem& p, const attention_operands<In, Out>& o,
                                  bool has_score_mod_rule, int split_kv, int compute_units) {
    attention_choice c{.variant = !has_score_mod_rule && is_plain(p, o) ? attention_variant::plain
                                                                        : attention_variant::general,
                       .head_class = Policies::head_class(int(max_of(p.head_dim, p.head_dim_v)))};
    c.gathered = {.q = !reads_runs(o.q, p.q_strides, p.head_dim, sizeof(In)),
                  .kv = !reads_runs(o.k, p.k_strides, p.head_dim, sizeof(In)) ||
                        !reads_runs(o.v, p.v_strides, p.head_dim_v, sizeof(In))};
    const attention_policy decode = Policies::template row<Arch, In>(c.head_class, attention_variant::decode);
    if (kernel::rows_pack(p, decode.queries(), sizeof(Out))) c.tile_heads = int(p.heads / p.kv_heads);
    c.splits = splits_for(decode, p, c.tile_heads, split_kv, compute_units);
    if (decodes(decode, p, c, split_kv))
        c.variant = attention_variant::decode;
    else
        c.gathered.kv = c.gathered.kv || p.page_size > 0, c.splits = c.tile_heads = 1;
    if (p.seq_k == 0) c.gathered = {};
    if (c.variant == attention_variant::plain &&
        Policies::template row<Arch, In>(c.head_class, attention_variant::tma).waves > 0 && !c.gathered.kv &&
        has_tensor_maps_of(p, o, c.gathered.q))
        c.variant = attention_variant::tma;
    c.why =
        c.variant == attention_variant::plain ? "no rule beside an end of the visible keys"
        : c.variant == attention_variant::tma
            ? "no rule beside an end of the visible keys, which hardware copies in boxes"
        : c.variant == attention_variant::general
            ? "a window on the left, a negative scale, softcap, ALiBi, a bias, a sink, dropout, "
              "scales, first keys, pages that may be missing or a rule of one's own needs the general kernel"
            : why_decoded(decode, p, c) + how_decoded(decode, p, c);
    c.why += "; head_dim " + std::to_string(max_of(p.head_dim, p.head_dim_v)) + " runs in tiles of " +
             std::to_string(c.head_class);
    if (c.gathered.any())
        c.why += "; " + c.gathered.names() + (p.page_size > 0 ? " lie in pages or" : " lie") +
                 " in no aligned 16-byte runs, so copies are read";
    return c;
}

/// The host reads any strides and pages, and has one kernel.
inline attention_choice select_host_attention(const attention_problem& p) {
    return {.variant = attention_variant::general,
            .head_class = host_attention.head_dim,
            .why = "any strides are read, by blocks of " + std::to_string(host_attention.keys) +
                   " keys and values; head_dim " + std::to_string(p.head_dim) + " runs as it is"};
}

/// Queries of a workgroup on the host: many share the packing of keys, but every thread should have some.
template <class In>
int host_queries(const attention_problem& p, int threads) {
    using traits = kernel::attention_traits<arch::host, In, host_attention>;
    const int max_rows = traits::queries_that_fit(max_of(p.head_dim, p.head_dim_v));
    const index heads = max_of<index>(p.batch * p.heads, 1),
                tiles = ceil_div<index>(max_of<index>(p.seq_q, 1), max_rows);
    const index wanted = max_of<index>(tiles, ceil_div<index>(4 * threads, heads));  // tiles of a head
    const index rows =
        ceil_div<index>(ceil_div<index>(max_of<index>(p.seq_q, 1), wanted), traits::strip) * traits::strip;
    return int(min_of<index>(rows, max_rows / traits::strip * traits::strip));
}

}  // namespace FADE_NAMESPACE::tune

// The attention kernel: one tile of queries of one head a workgroup, exact softmax over all keys in one pass.
// Scores are computed transposed, S^T = K Q^T, so that a lane owns whole queries: Dao, "FlashAttention-2" (2023).
#pragma once
#include <fade/kernel/attention/products.hpp>
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/store.hpp>

namespace fade::kernel {

/// Which keys the queries of a workgroup see at all, from a whole tile on, and between where all of them see all.
struct key_range {
    int begin, end, full_begin, full_end;
    FADE_FN bool full(int key, int keys) const { return key >= full_begin && key + keys <= full_end; }
};

template <class Traits, class Args>
FADE_FN key_range keys_of(const Args& args, const sequence_extent& e, int first_query) {
    const int first = first_query + e.last, last = least(first_query + Traits::queries, e.query_count) - 1 + e.last;   // their positions
    const index begin = args.left == all_keys ? 0 : most<index>(index(first) - args.left, 0), full_begin = args.left == all_keys ? 0 : most<index>(index(last) - args.left, 0);
    const index end = args.right == all_keys ? e.key_count : least<index>(index(last) + args.right + 1, e.key_count);
    const index full = args.right == all_keys ? e.key_count : least<index>(index(first) + args.right + 1, e.key_count);
    const int aligned = int(begin / Traits::keys * Traits::keys);
    return {aligned, int(most<index>(end, aligned)), int(full_begin), int(most<index>(full / Traits::keys * Traits::keys, aligned))};
}

/// What a workgroup keeps while it walks over the keys.
template <class Block, class Traits, class T, block::memory_order ByKeys, block::memory_order ByValues>
struct attention_walk {
    using operand = block::bounded_operand<T>;
    block::tile_loader<Block, T, typename Traits::layout_k, ByKeys, operand> keys;
    block::tile_loader<Block, T, typename Traits::layout_v, ByValues, operand> values;
    products<Block, Traits> product;
    typename Traits::template outputs<Block> out;
    softmax_states<Block, typename Traits::template scores<Block>> states;

    FADE_FN attention_walk(Block& block, const operand& k, const operand& v, float sink) : keys(block, k), values(block, transposed(v)), product(block), states(block, sink) {
        wave::zero(block, out);
        keys.load(block);
        values.load(block);
        keys.store(block, Traits::tile_k());
    }

    /// One tile of keys. `rule(scores)` acts between the product and the softmax, `drop(weights)` after it.
    template <class Queries, class Rule, class Drop>
    FADE_FN void step(Block& block, Queries& queries, float scale_log2, Rule rule, Drop drop) {
        typename Traits::template scores<Block> scores;
        keys.advance_rows(Traits::keys);
        values.advance(Traits::keys);
        block.sync();   // the keys are there, and nobody reads the values of the tile before
        product.score(block, scores, queries);
        values.store(block, Traits::tile_v());
        keys.load(block);
        rule(scores);
        softmax_tile(block, scores, out, states, scale_log2);
        drop(scores);
        block.sync();   // the values are there, and nobody reads the keys
        keys.store(block, Traits::tile_k());
        values.load(block);
        product.weigh(block, out, scores);
    }
};

/// Neighbouring workgroups share queries where O's columns are shared, then follow along the queries. Late queries of causal attention see
/// most keys: they begin first, so that the short ones fill the end of the launch.
template <class Traits, class Block, class Args>
FADE_FN query_tile place_of_queries(const Block& block, const Args& args) {
    constexpr int parts = Traits::head_dim / Traits::value_dim;
    const int n = block.id_x() / parts, tile = args.right == all_keys ? n : ceil_div(args.seq_q, Traits::queries) - 1 - n;
    return {tile * Traits::queries, block.id_y(), block.id_z(), block.id_x() % parts * Traits::value_dim, extent_of(args, block.id_z())};
}

/// Full, causal and padded attention: only the last tiles can be partly visible.
template <attention_policy Policy, block::memory_order ByKeys, block::memory_order ByValues, class Block, class Args>
FADE_FN void attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const query_tile at = place_of_queries<traits>(block, args);
    if (at.first_query >= at.extent.query_count || at.first_column >= args.head_dim) return;
    const key_range range = keys_of<traits>(args, at.extent, at.first_query);
    query_operand<Block, traits> queries(block);
    queries.template load<ByKeys>(block, queries_of(args, at));
    attention_walk<Block, traits, in, ByKeys, ByValues> walk(block, keys_of_head(args, at, range.begin), values_of_head(args, at, range.begin), minus_infinity);
    const auto nothing = [](auto&) {};
    int key = range.begin;
    for (; key < range.full_end; key += traits::keys) walk.step(block, queries, args.scale_log2, nothing, nothing);
    for (; key < range.end; key += traits::keys)
        walk.step(block, queries, args.scale_log2, [&](auto& scores) { mask_scores(block, scores, args, at.extent, key, at.first_query, traits::wave_queries); }, nothing);
    store_attention<traits>(block, walk.out, walk.states, args, at);
}

/// Everything else: windows on both sides, softcap, ALiBi, sinks, dropout.
template <attention_policy Policy, block::memory_order ByKeys, block::memory_order ByValues, class Block, class Args>
FADE_FN void general_attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const query_tile at = place_of_queries<traits>(block, args);
    if (at.first_query >= at.extent.query_count || at.first_column >= args.head_dim) return;
    const key_range range = keys_of<traits>(args, at.extent, at.first_query);
    const float slope = args.rules.alibi ? args.rules.alibi[at.head] * log2_e : 0.0f, sink = args.rules.sink ? args.rules.sink[at.head] * log2_e : minus_infinity;
    query_operand<Block, traits> queries(block);
    queries.template load<ByKeys>(block, queries_of(args, at));
    attention_walk<Block, traits, in, ByKeys, ByValues> walk(block, keys_of_head(args, at, range.begin), values_of_head(args, at, range.begin), sink);
    const bool bent = bends(args);
    for (int key = range.begin; key < range.end; key += traits::keys)
        walk.step(block, queries, bent ? 1.0f : args.scale_log2,
            [&](auto& scores) {
                if (bent) bend_scores(block, scores, args, at.extent, slope, key, at.first_query, traits::wave_queries);
                if (!range.full(key, traits::keys)) mask_scores(block, scores, args, at.extent, key, at.first_query, traits::wave_queries);
            },
            [&](auto& weights) {
                if (args.rules.drop_below) drop_weights(block, weights, args, std::uint32_t(at.batch * args.heads + at.head), key, at.first_query, traits::wave_queries);
            });
    store_attention<traits>(block, walk.out, walk.states, args, at);
}

}  // namespace fade::kernel

// The attention kernel: one tile of queries of one head a workgroup, exact softmax over all keys in one pass.
// Scores are computed transposed, S^T = K Q^T, so that a lane owns whole queries: Dao, "FlashAttention-2"
// (2023).
#pragma once
#include <fade/block/schedule/tile.hpp>
#include <fade/kernel/attention/lacking_pages.hpp>
#include <fade/kernel/attention/lazy_rescaling.hpp>
#include <fade/kernel/attention/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// Which keys the queries of a workgroup see at all, from a whole tile on, and up to where all of them see
/// all. With a window on the left that is nowhere.
struct key_range {
    int begin, end, full_end;
    bool lacks_keys = false;  // is some of their pages missing?
    FADE_FN bool full(int key, int keys) const { return key + keys <= full_end; }
};

template <class Traits, class Args>
FADE_FN key_range keys_of(const Args& args, const sequence_extent& e, int first_query,
                          int queries = Traits::queries) {
    const int first = first_query + e.last,
              last = min_of(first_query + queries, e.query_count) - 1 + e.last;  // their positions
    const index begin = args.left == all_keys ? 0 : max_of<index>(index(first) - args.left, 0);
    const index end =
        args.right == all_keys ? e.key_count : min_of<index>(index(last) + args.right + 1, e.key_count);
    const index full = args.left != all_keys    ? 0
                       : args.right == all_keys ? e.key_count
                                                : min_of<index>(index(first) + args.right + 1, e.key_count);
    const int aligned = int(begin / Traits::keys * Traits::keys);
    return {aligned, int(max_of<index>(end, aligned)),
            int(max_of<index>(full / Traits::keys * Traits::keys, aligned))};
}

/// Keys before the first one of their sequence are not walked over: tiles begin at it.
template <class Args>
FADE_FN void begin_at_first_key(key_range& range, const Args& args, int batch) {
    if (!args.starts_k) return;
    range.begin = min_of(max_of(args.starts_k[batch], range.begin), range.end);
    range.full_end = max_of(range.full_end, range.begin);
}

/// What a workgroup keeps while it walks over the keys: `Keys` has them as rows, `Values` as k.
template <class Block, class Traits, class Keys, class Values>
struct attention_walk {
    static constexpr int keys_a_step = Traits::keys;
    block::tile_loader<Block, typename Keys::element, typename Traits::layout_k,
                       block::memory_order::k_contiguous, Keys>
        keys;
    block::tile_loader<Block, typename Keys::element, typename Traits::layout_v,
                       block::memory_order::row_contiguous, Values>
        values;
    block::chain_products<Block, Traits> product;
    typename Traits::template outputs<Block> out;
    softmax_states<Block, typename Traits::template scores<Block>> states;
    float value_scale = 1;  // what the outputs are multiplied by at the end
    float scale_log2 = 1;   // what differences of scores were multiplied by

    FADE_FN attention_walk(Block& block, const Keys& k, const Values& v)
        : keys(block, k), values(block, v), product(block), states(block) {
        begin(block);
    }

    /// Goes back by `tiles` steps and forgets what it found; nobody reads shared memory any more.
    FADE_FN void restart(Block& block, int tiles) {
        states = softmax_states<Block, typename Traits::template scores<Block>>(block);
        keys.advance_rows(-index(tiles) * Traits::keys);
        values.advance(-index(tiles) * Traits::keys);
        begin(block);
    }

    /// One tile of keys. `rule(scores)` acts between the product and the softmax, `drop(probabilities)` after
    /// it.
    template <centering Centering, class Queries, class Rule, class Drop>
    FADE_FN void step(Block& block, Queries& queries, Rule rule, Drop drop) {
        typename Traits::template scores<Block> scores;
        begin_step(block, queries, scores);
        rule(scores);
        softmax_tile<Centering>(block, scores, out, states, scale_log2);
        drop(scores);
        end_step(block, scores);
    }
    template <class Queries, class Scores>
    FADE_FN void begin_step(Block& block, Queries& queries, Scores& scores) {
        keys.advance_rows(Traits::keys);
        block.sync();  // the keys are there, and nobody reads the values of the tile before
        product.mma_qk(block, scores, queries);
        if constexpr (Keys::scattered) fence_scores(block, scores);
        if constexpr (Traits::lazy_rescaling)
            Block::template schedule<0>();  // else stores of values, which wait for memory, would begin
                                            // among the products
        values.store(block, Traits::tile_v());
        keys.load(block);
    }
    template <class Scores>
    FADE_FN void end_step(Block& block, Scores& probabilities) {
        block.sync();  // the values are there, and nobody reads the keys
        keys.store(block, Traits::tile_k());
        values.advance(Traits::keys);
        values.load(block);
        product.mma_pv(block, out, probabilities);
    }

private:
    FADE_FN void begin(Block& block) {
        wave::zero(block, out);
        keys.load(block);
        values.load(block);
        keys.store(block, Traits::tile_k());
    }
};

/// Neighbouring workgroups share queries where O's columns are shared, then follow along the queries. Late
/// queries of causal attention see most keys: they begin first, so that the short ones fill the end of the
/// launch. Queries of `heads` neighbouring heads may be rows of one tile.
template <class Traits, class Args>
FADE_FN query_tile place_of_tile(const block::line_work& work, const Args& args, int heads = 1) {
    constexpr int parts = Traits::head_dim / Traits::value_dim;
    const int n = work.tile / parts,
              tile = args.right == all_keys ? n : ceil_div(args.seq_q * heads, Traits::queries) - 1 - n;
    return {tile * Traits::queries, work.line * heads, work.layer, work.tile % parts * Traits::value_dim,
            extent_of(args, work.layer)};
}

/// The queries of one head, or none where its sequence has fewer. Reads tables of lengths.
template <class Traits, class Block, class Args>
FADE_FN block::one_work<query_tile> tiles_of_heads(const Block& block, const Args& args) {
    const query_tile at = place_of_tile<Traits>(block::line_schedule(block).work, args);
    return {at, at.first_query < at.extent.query_count && at.first_column < args.output_dim};
}

/// Walks over `tiles` tiles that all queries see; returns how many. None where some maximum was too far from
/// zero: the walk stands at its begin again.
template <class Traits, class Block, class Walk, class Queries>
FADE_FN int step_plainly(Block& block, Walk& walk, Queries& queries, int tiles) {
    const auto nothing = [](auto&) {};
    for (int i = 0; i < tiles; ++i) walk.template step<centering::none>(block, queries, nothing, nothing);
    return tiles > 0 && began_again<Traits>(block, walk, tiles) ? 0 : tiles;
}

template <class Traits, class Block, class Keys, class Values>
FADE_FN auto walk_over(Block& block, const Keys& keys, const Values& values) {
    return attention_walk<Block, Traits, Keys, Values>(block, keys, values);
}

/// Full, causal and padded attention: only the last tiles can be partly visible.
template <attention_policy Policy, class Block, class Args>
FADE_FN void attend_plainly(Block& block, const Args& args, const query_tile& at) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const key_range range = keys_of<traits>(args, at.extent, at.first_query);
    block::resident_operand<Block, traits> queries(block);
    queries.load(block, queries_of(args, at));
    auto walk = walk_over<traits>(block, keys_of_head(args, at, range.begin),
                                  transposed(values_of_head(args, at, range.begin)));
    const auto nothing = [](auto&) {};
    walk.scale_log2 = args.scale_log2;  // scales of tensors are for the general kernel: their product would
                                        // not stay in a scalar register
    int key = range.begin;
    if constexpr (Policy.schedule == attention_schedule::software_pipelined)
        key += traits::keys * step_software_pipelined<traits>(block, walk, queries, walk.scale_log2,
                                                              (range.full_end - key) / traits::keys);
    else if constexpr (traits::lazy_rescaling)
        key += traits::keys *
               step_with_lazy_rescaling<traits>(block, walk, queries, (range.full_end - key) / traits::keys);
    else
        key +=
            traits::keys * step_plainly<traits>(block, walk, queries, (range.full_end - key) / traits::keys);
    for (; key < range.end; key += traits::keys)
        walk.template step<centering::always>(
            block, queries,
            [&](auto& scores) { mask_scores(block, scores, args, at.extent, key, rows_of<traits>(at)); },
            nothing);
    store_attention<traits>(block, walk, args, at);
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    tiles_of_heads<traits>(block, args).each([&](const query_tile& at) FADE_LAMBDA {
        attend_plainly<Policy>(block, args, at);
    });
}

/// What rules make of the scores of a tile of keys.
template <int Keys, class Block, class Scores, class Args, class Rows>
FADE_FN void rule_scores(Block& block, Scores& scores, const Args& args, const query_tile& at,
                         const Rows& rows, const key_range& range, const head_rules<Block, Args, Rows>& head,
                         int key) {
    using rule = std::remove_cvref_t<decltype(args.rule)>;
    if (head.modified) modify_scores(block, scores, args, at.extent, head, key, rows);
    if (args.rules.bias_query >= 0) bias_scores(block, scores, args, at.extent, head, key, rows);
    if constexpr (!std::is_same_v<rule, no_rule>) apply_score_mod(block, scores, args, at, key, rows);
    if (!range.full(key, Keys)) mask_scores(block, scores, args, at.extent, key, rows);
    if (range.lacks_keys)
        hide_lacking(block, scores, block.reload_arguments(args), at.batch, key, Keys, rows);
}

/// And of its probabilities.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void rule_probabilities(Block& block, Scores& probabilities, const Args& args, const query_tile& at,
                                const Rows& rows, const head_rules<Block, Args, Rows>& head, int key) {
    if (args.rules.drop_below)
        drop_probabilities(block, probabilities, args, head.keep_scale, at.batch, key, rows);
}

/// What the values of a head are multiplied by, at the end.
template <class Args>
FADE_FN float value_scale_of(const Args& args, const query_tile& at) {
    return scale_at(args.scales.v, at.head / args.group * args.scales.step);
}

/// Everything else: windows on both sides, softcap, ALiBi, bias, rules of the user's own, dropout. `sinks`:
/// logits of heads count.
template <class Block, class Args, class Rows, class Walk, class Queries>
FADE_FN void walk_by_rules(Block& block, const Args& args, const query_tile& at, const Rows& rows,
                           const key_range& range, Walk& walk, Queries& queries, bool sinks) {
    constexpr int keys = Walk::keys_a_step;
    const head_rules<Block, Args, Rows> head(args, at);
    walk.value_scale = kept<Block>(
        of_all_lanes<Block>(value_scale_of(args, at)));  // now: its address would wait in scalar registers
    walk.scale_log2 = head.factor();
    if (sinks) count_sinks(block, walk.states, args, rows, walk.scale_log2);
    for (int key = range.begin; key < range.end; key += keys)
        walk.template step<centering::where_far>(
            block, queries,
            [&](auto& scores) { rule_scores<keys>(block, scores, args, at, rows, range, head, key); },
            [&](auto& probabilities) {
                rule_probabilities(block, probabilities, args, at, rows, head, key);
            });
}

template <attention_policy Policy, class Block, class Args>
FADE_FN void general_attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    tiles_of_heads<traits>(block, args).each([&](const query_tile& at) FADE_LAMBDA {
        key_range range = keys_of<traits>(args, at.extent, at.first_query);
        begin_at_first_key(range, args, at.batch);
        range.lacks_keys = lacks_keys(block, args, at.batch, range.begin, range.end);
        block::resident_operand<Block, traits> queries(block);
        queries.load(block, queries_of(args, at));
        auto walk = walk_over<traits>(block, keys_of_head(args, at, range.begin),
                                      transposed(values_of_head(args, at, range.begin)));
        walk_by_rules(block, args, at, rows_of<traits>(at), range, walk, queries, args.rules.sink != nullptr);
        store_attention<traits>(block, walk, block.reload_arguments(args), at);
    });
}

}  // namespace FADE_NAMESPACE::kernel

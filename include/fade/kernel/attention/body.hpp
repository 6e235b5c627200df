// The attention kernel: one tile of queries of one head a workgroup, exact softmax over all keys in one pass.
// Scores are computed transposed, S^T = K Q^T, so that a lane owns whole queries: Dao et al., "FlashAttention-2" (2023).
#pragma once
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/products.hpp>
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/store.hpp>
#include <fade/kernel/attention/traits.hpp>

namespace fade::kernel {

/// Which keys the queries of a workgroup see at all, in whole tiles, and up to where all of them see all.
struct key_range {
    int begin, end, full_end;
};

template <class Traits, class Args>
FADE_FN key_range keys_of(const Args& args, int first_query) {
    const int last_query = least(first_query + Traits::queries, args.seq_q) - 1;
    const index begin = args.left == all_keys ? 0 : most<index>(index(first_query) + args.last - args.left, 0);
    const index end = args.right == all_keys ? args.seq_k : least<index>(index(last_query) + args.last + args.right + 1, args.seq_k);
    const index full_to = args.right == all_keys ? args.seq_k : least<index>(index(first_query) + args.last + args.right + 1, args.seq_k);
    const int aligned = int(begin / Traits::keys * Traits::keys);
    return {aligned, int(most<index>(end, aligned)), int(most<index>(full_to / Traits::keys * Traits::keys, aligned))};
}

/// Windows: queries may miss early keys, so every tile is masked; else only the last ones can be partly visible.
template <attention_policy Policy, bool Windows, block::memory_order ByKeys, block::memory_order ByValues, class Block, class Args>
FADE_FN void attention_body(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.q)>;
    using traits = attention_traits<typename Block::arch, in, Policy>;
    const query_tile at{block.id_x() * traits::queries, block.id_y(), block.id_z()};
    const key_range range = keys_of<traits>(args, at.first_query);

    query_operand<Block, traits> queries(block);
    queries.template load<ByKeys>(block, operand_of(args.q, args.q_strides, at.batch, at.head, at.first_query, args.seq_q, args.head_dim));
    const int kv_head = at.head / args.group;
    block::tile_loader<Block, in, typename traits::layout_k, ByKeys, block::bounded_operand<in>> keys(
        block, keys_operand<traits>(operand_of(args.k, args.k_strides, at.batch, kv_head, range.begin, args.seq_k, args.head_dim)));
    block::tile_loader<Block, in, typename traits::layout_v, ByValues, block::bounded_operand<in>> values(
        block, values_operand<traits>(operand_of(args.v, args.v_strides, at.batch, kv_head, range.begin, args.seq_k, args.head_dim)));
    products<Block, traits> product(block);
    typename traits::template outputs<Block> out;
    wave::zero(block, out);
    softmax_states<Block, typename traits::template scores<Block>> states(block);

    keys.load(block);
    values.load(block);
    keys.store(block, traits::tile_k());
    const auto walk = [&](int from, int to, auto masked) {
        for (int key = from; key < to; key += traits::keys) {
            typename traits::template scores<Block> scores;
            keys.advance_rows(traits::keys);
            values.advance(traits::keys);
            block.sync();   // the keys are there, and nobody reads the values of the tile before
            product.score(block, scores, queries);
            values.store(block, traits::tile_v());
            keys.load(block);
            if constexpr (masked.value) mask_scores(block, scores, args, key, at.first_query, traits::wave_queries);
            softmax_tile(block, scores, out, states, args.scale_log2);
            block.sync();   // the values are there, and nobody reads the keys
            keys.store(block, traits::tile_k());
            values.load(block);
            product.weigh(block, out, scores);
        }
    };
    if constexpr (Windows) walk(range.begin, range.end, std::true_type{});
    else {
        walk(range.begin, range.full_end, std::false_type{});
        walk(range.full_end, range.end, std::true_type{});
    }
    store_attention<traits>(block, out, states, args, at);
}

}  // namespace fade::kernel

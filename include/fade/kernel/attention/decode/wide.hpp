// Heads too wide for registers and shared memory: queries and keys pass through it a span of their dimensions
// at a time, the queries again for each tile of keys.
#pragma once
#include <fade/kernel/attention/body.hpp>

namespace FADE_NAMESPACE::kernel {

/// As attention_walk. Nothing of a query stays where it was loaded, so this is slow: it reads queries from
/// memory as often as keys.
template <class Block, class Traits, class Queries, class Keys, class Values>
struct wide_walk {
    static constexpr int keys_a_step = Traits::keys;
    block::tile_loader<Block, typename Keys::element, typename Traits::layout_q,
                       block::memory_order::k_contiguous, Queries>
        queries;
    block::tile_loader<Block, typename Keys::element, typename Traits::layout_k,
                       block::memory_order::k_contiguous, Keys>
        keys;
    block::tile_loader<Block, typename Keys::element, typename Traits::layout_v,
                       block::memory_order::row_contiguous, Values>
        values;
    block::chain_products<Block, Traits> product;
    typename Traits::template outputs<Block> out;
    softmax_states<Block, typename Traits::template scores<Block>> states;
    float value_scale = 1, scale_log2 = 1;
    int dimensions;  // of queries and keys, whole spans

    FADE_FN wide_walk(Block& block, const Queries& q, const Keys& k, const Values& v, int head_dim)
        : queries(block, q), keys(block, k), values(block, v), product(block), states(block),
          dimensions(ceil_div(head_dim, Traits::span) * Traits::span) {
        wave::zero(block, out);
    }

    template <centering Centering, class Operand, class Rule, class Drop>
    FADE_FN void step(Block& block, Operand& operand, Rule rule, Drop drop) {
        typename Traits::template scores<Block> scores;
        wave::zero(block, scores);
        FADE_ROLLED
        for (int d = 0; d < dimensions; d += Traits::span) add_span(block, operand, scores);
        queries.advance(-dimensions), keys.advance(-dimensions), keys.advance_rows(Traits::keys);
        fence_scores(block, scores);
        values.load(block);
        rule(scores);
        softmax_tile<Centering>(block, scores, out, states, scale_log2);
        drop(scores);
        values.store(block,
                     Traits::tile_v());  // each wave has passed a barrier since it read the values before
        values.advance(Traits::keys);
        block.sync();  // the values are there
        product.mma_pv(block, out, scores);
    }

private:
    template <class Operand, class Scores>
    FADE_FN void add_span(Block& block, Operand& operand, Scores& scores) {
        queries.load(block), keys.load(block);
        block.sync();  // nobody reads the span before
        queries.store(block, Traits::tile_q()), keys.store(block, Traits::tile_k());
        queries.advance(Traits::span), keys.advance(Traits::span);
        block.sync();  // the span is there
        product.add_scores(block, scores, operand);
    }
};

template <class Traits, class Block, class Queries, class Keys, class Values>
FADE_FN auto wide_walk_over(Block& block, const Queries& queries, const Keys& keys, const Values& values,
                            int head_dim) {
    return wide_walk<Block, Traits, Queries, Keys, Values>(block, wave::in_lanes<Block>(queries),
                                                           wave::in_lanes<Block>(keys),
                                                           wave::in_lanes<Block>(values), head_dim);
}

}  // namespace FADE_NAMESPACE::kernel

// The online softmax of attention, and the logits that take part in its sums.
#pragma once
#include <fade/block/online_softmax.hpp>
#include <fade/kernel/attention/rules.hpp>

namespace FADE_NAMESPACE::kernel {

using block::centering, block::max_sum, block::softmax_state, block::softmax_states, block::softmax_tile;

/// A logit as a score that is to be multiplied by `factor`. Infinite ones become the largest, or hidden.
template <class Block>
FADE_FN float score_of(float logit, float factor) {
    const float score = logit * (log2_e * Block::reciprocal(factor));
    return -Block::maximum(-Block::maximum(score, hidden_score), hidden_score);
}

/// The logits of the rows' heads take part in the sums: one of the lanes that share a row counts its own.
template <class Block, class States, class Args, class Rows>
FADE_FN void count_sinks(Block& block, States& states, const Args& args, const Rows& rows, float factor) {
    block::each_state(block, states, rows, [&](softmax_state& state, const row_owner& of, bool first) {
        const float sink = score_of<Block>(args.rules.sink[of.head], factor);
        state = {sink, sink == hidden_score || !first ? 0.0f : 1.0f};
    });
}

}  // namespace FADE_NAMESPACE::kernel

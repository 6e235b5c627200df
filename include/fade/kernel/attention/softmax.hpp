// The online softmax of attention, and the logits that take part in its sums.
#pragma once
#include <fade/block/online_softmax.hpp>
#include <fade/kernel/attention/rules.hpp>

namespace FADE_NAMESPACE::kernel {

using block::centering, block::is_far, block::larger_score, block::rescale, block::softmax_state,
    block::softmax_states, block::softmax_tile, block::update_max, block::probability_pairs;

/// What sums of probabilities may be at most; beyond it they count as infinite.
inline constexpr float max_sum = 3e38f;

/// A logit as a score that is to be multiplied by `factor`. Infinite ones become the largest, or hidden.
template <class Block>
FADE_FN float score_of(float logit, float factor) {
    const float score = logit * (log2_e * Block::reciprocal(factor));
    return -Block::maximum(-Block::maximum(score, hidden_score), hidden_score);
}

/// The logits of the rows' heads take part in the sums: one of the lanes that share a row counts its own.
template <class Block, class States, class Args, class Rows>
FADE_FN void count_sinks(Block& block, States& states, const Args& args, const Rows& rows, float factor) {
    using atom = typename States::atom;
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < States::columns; ++j) FADE_UNROLL
        for (int c = 0; c < States::slots; ++c) {
            const float sink =
                score_of<Block>(args.rules.sink[rows.template owner<atom>(p, j, c).head], factor);
            states.lanes[p].of[j][c] = {
                sink, sink == hidden_score || atom::d_at(p.lane, c).major != 0 ? 0.0f : 1.0f};
        }
    });
}

}  // namespace FADE_NAMESPACE::kernel

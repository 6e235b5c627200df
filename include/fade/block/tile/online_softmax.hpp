// Softmax over rows whose scores come tile by tile.
#pragma once
#include <fade/block/online_softmax.hpp>
#include <fade/block/tile/accumulator.hpp>

namespace FADE_NAMESPACE::tile {

/// Running maxima and sums of the rows of scores. `scale`, above 0, multiplies scores.
template <class Block, class Scores>
class online_softmax {
public:
    /// Of rows that have seen nothing.
    FADE_FN online_softmax(Block& block, const Scores&, float scale)
        : states_(block), scale_log2_(scale * log2_e) {}

    /// Scores become probabilities, up to a factor of their row; `out`, the sum of what earlier probabilities
    /// weighed, is rescaled to the same factor.
    template <class Out>
    FADE_FN void update(Block& block, Scores& scores, Out& out) {
        block::softmax_tile<block::centering::where_far>(block, scores, out, states_, scale_log2_);
    }

    /// Takes the factor out of `out`. Rows that saw nothing become zeros.
    template <class Out>
    FADE_FN void finish(Block& block, Out& out) {
        block::finish_sums(block, states_);
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < Out::lane_rows; ++j) FADE_UNROLL
            for (int c = 0; c < Out::slots; ++c) {
                const float sum = states_.lanes[p].of[j][c].sum,
                            factor = sum == 0 ? 0 : Block::reciprocal(sum);
                FADE_UNROLL
                for (int i = 0; i < Out::row_atoms; ++i) FADE_UNROLL
                for (int r = 0; r < Out::slot_size; ++r) out.at(p, i, j)[r * Out::slots + c] *= factor;
            }
        });
    }

private:
    block::softmax_states<Block, Scores> states_;
    float scale_log2_;
};

}  // namespace FADE_NAMESPACE::tile

// The online softmax: running maximum and sum a query, in powers of two.
// Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
#pragma once
#include <fade/kernel/attention/rules.hpp>
#include <fade/wave/reduce.hpp>

namespace fade::kernel {

/// Maximum (of scaled scores, times log2 e) and sum of a query; the sum is a lane's own part until the end.
struct softmax_state {
    float maximum, sum;
};

/// Every lane's states: one for each column of D that its registers belong to.
template <class Block, class Scores>
struct softmax_states {
    using atom = typename Scores::atom;
    static constexpr int slots = atom::lane_columns, columns = Scores::columns;
    struct lane_states {
        softmax_state of[columns][slots];
    };
    per_lane<Block, lane_states> lanes;

    /// `sink` (times log2 e): a logit that takes part in every sum; minus infinity: none. One of the lanes that share a query counts it.
    FADE_FN softmax_states(Block& block, float sink) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
                for (int c = 0; c < slots; ++c) lanes[p].of[j][c] = {sink, sink == minus_infinity || atom::d_at(p.lane, c).major != 0 ? 0.0f : 1.0f};
        });
    }
};

/// The largest score of column slot c of atom column j, over all lanes that share it.
template <class Block, class Scores>
FADE_FN void column_maximum(Block& block, wave_place w, Scores& scores, int j, int c, wave::lane_values<Block, float>& out) {
    using atom = typename Scores::atom;
    block.each_lane_of(w, [&](place p) {
        float m = minus_infinity;
        FADE_UNROLL
        for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
            for (int g = c; g < atom::d_size; g += atom::lane_columns) m = Block::maximum(m, scores.at(p, i, j)[g]);
        out.at(p.lane) = m;
    });
    wave::share_columns<atom>(block, w, out, [](float a, float b) { return Block::maximum(a, b); });
}

/// Turns the scores of a column into probabilities against the new maximum; what was summed before shrinks by the returned factor.
/// `largest` is the largest score before scaling, so that scaling and subtraction are one multiply-add a score.
template <class Block, class Scores>
FADE_FN float exponentiate(Scores& scores, place p, int j, int c, float largest, float scale_log2, softmax_state& state) {
    using atom = typename Scores::atom;
    const float maximum = Block::maximum(state.maximum, largest * scale_log2), base = maximum == minus_infinity ? 0.0f : maximum;
    const float shrink = Block::exp2(state.maximum - base);
    float sum[2] = {0, 0};   // two chains, which the compiler pairs
    FADE_UNROLL
    for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
        for (int g = c; g < atom::d_size; g += atom::lane_columns) {
            float& s = scores.at(p, i, j)[g];
            s = Block::exp2(__builtin_fmaf(s, scale_log2, -base));
            sum[g / atom::lane_columns % 2] += s;
        }
    state = {maximum, state.sum * shrink + (sum[0] + sum[1])};
    return shrink;
}

/// One tile of the online softmax: scores become probabilities, outputs so far shrink to the new maximum.
template <class Block, class Scores, class Outputs, class States>
FADE_FN void softmax_tile(Block& block, Scores& scores, Outputs& outputs, States& states, float scale_log2) {
    using atom = typename Scores::atom;
    block.each_wave([&](wave_place w) {
        FADE_UNROLL
        for (int j = 0; j < Scores::columns; ++j) FADE_UNROLL
            for (int c = 0; c < States::slots; ++c) {
                wave::lane_values<Block, float> largest;
                column_maximum(block, w, scores, j, c, largest);
                block.each_lane_of(w, [&](place p) {
                    const float shrink = exponentiate<Block>(scores, p, j, c, largest.at(p.lane), scale_log2, states.lanes[p].of[j][c]);
                    FADE_UNROLL
                    for (int i = 0; i < Outputs::rows; ++i) FADE_UNROLL
                        for (int g = c; g < atom::d_size; g += atom::lane_columns) outputs.at(p, i, j)[g] *= shrink;
                });
            }
    });
}

}  // namespace fade::kernel

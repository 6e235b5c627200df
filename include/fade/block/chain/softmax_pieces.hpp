// The online softmax of a tile in pieces, which stand beside products.
#pragma once
#include <fade/block/online_softmax.hpp>

namespace FADE_NAMESPACE::block {

/// The softmax of a tile in pieces. `Traits::scores<Block>` are accumulators.
template <class Block, class Traits>
class softmax_pieces {
    using scores_type = typename Traits::template scores<Block>;
    using atom = typename scores_type::atom;
    using pairs = probability_pairs<Block, scores_type>;
    static constexpr int columns = scores_type::columns, slots = atom::lane_columns;
    struct lane_columns {
        float largest[columns][slots];
        vec<float, 2> factor[columns][slots];
        pairs probabilities[columns][slots];
    };

public:
    static constexpr int pair_count = pairs::count;

    FADE_FN void find_maximum(Block& block, scores_type& scores) {
        each_column(block, [&](lane_coord p, int j, int c) {
            float m = hidden_score;
            FADE_UNROLL
            for (int i = 0; i < scores_type::rows; ++i) m = larger_score<Block>(scores, p, i, j, c, m);
            lanes_[p].largest[j][c] = m;
        });
    }
    FADE_FN void share_maximum(Block& block) {
        share(block, [&](lane_coord p, int j, int c) { return lanes_[p].largest[j][c]; });
    }
    template <class States>
    FADE_FN void update_maxima(Block& block, States& states, float scale_log2) {
        each_column(block, [&](lane_coord p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            lanes_[p].factor[j][c] = update_max<Block>(state, lanes_[p].largest[j][c], scale_log2);
            lanes_[p].probabilities[j][c] = pairs(scale_log2, state.maximum);
        });
    }
    /// What is far from zero comes near it, where turned maxima ask for that.
    template <class States>
    FADE_FN void center(Block& block, scores_type& scores, States& states) {
        bool far = false;
        each_column(block, [&](lane_coord p, int j, int c) { far |= lanes_[p].probabilities[j][c].far(); });
        if (!Block::any_lane(far)) return;
        each_column(block, [&](lane_coord p, int j, int c) {
            lanes_[p].probabilities[j][c].center(scores, p, j, c, states.lanes[p].of[j][c].maximum);
        });
    }
    /// From here on nothing is rescaled until maxima change.
    FADE_FN void stay(Block& block) {
        each_column(block, [&](lane_coord p, int j, int c) { lanes_[p].factor[j][c] = {1, 1}; });
    }
    /// Does a largest score of this tile pass its query's maximum by too much?
    template <class States>
    FADE_FN bool must_move(Block& block, States& states, float scale_log2) {
        bool moves = false;
        each_column(block, [&](lane_coord p, int j, int c) {
            moves |= passes(lanes_[p].largest[j][c], states.lanes[p].of[j][c], scale_log2);
        });
        return Block::any_lane(moves);
    }
    /// Is some weight of this tile more than `max`, or the sum that stands for them?
    FADE_FN bool passed(Block& block, float max) {
        bool some = false;
        each_column(
            block, [&](lane_coord p, int j, int c) { some |= lanes_[p].probabilities[j][c].raised() > max; });
        return some;
    }
    /// Maxima that a tile passed by too much follow it, and its probabilities with them; the sum of a row's
    /// probabilities stands for its largest. Returns whether some row of this lane passed by more than f32
    /// bears in a factor: its sum is infinite then, and the tile is to be softened anew.
    template <class States>
    FADE_FN bool follow(Block& block, scores_type& probabilities, States& states, float scale_log2,
                        float max) {
        bool infinite = false;
        share(block, [&](lane_coord p, int j, int c) { return lanes_[p].probabilities[j][c].total(); });
        each_column(block, [&](lane_coord p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            const float total = lanes_[p].largest[j][c];
            lanes_[p].factor[j][c] = {1, 1};
            if (!(total > max)) return;
            if (total > 0x1p120f) {  // the factor would be too small for f32
                state.sum = __builtin_inff(), infinite = true;
                return;
            }
            const float by = Block::log2(total) * Block::reciprocal(scale_log2);
            lanes_[p].factor[j][c] = update_max<Block>(state, state.maximum + by, scale_log2);
            lanes_[p].probabilities[j][c] = pairs(scale_log2, state.maximum);
        });
        rescale_rows(block, probabilities);
        return infinite;
    }
    /// Maxima of rows whose probabilities passed `max` move to the largest of their scores, and outputs are
    /// rescaled, each row by itself, so that results do not depend on other queries. All probabilities are to
    /// be made again.
    template <class States, class Outputs>
    FADE_FN void move_passed(Block& block, scores_type& scores, States& states, Outputs& outputs,
                             float scale_log2, float max) {
        share(block, [&](lane_coord p, int j, int c) { return lanes_[p].probabilities[j][c].raised(); });
        each_column(block, [&](lane_coord p, int j, int c) {
            lanes_[p].factor[j][c][0] = lanes_[p].largest[j][c] > max ? 0.0f : 1.0f;
        });
        find_maximum(block, scores);
        share_maximum(block);
        each_column(block, [&](lane_coord p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            const float largest = lanes_[p].factor[j][c][0] == 0 ? lanes_[p].largest[j][c] : state.maximum;
            lanes_[p].factor[j][c] = update_max<Block>(state, largest, scale_log2);
            lanes_[p].probabilities[j][c] = pairs(scale_log2, state.maximum);
        });
        rescale_rows(block, outputs);
    }
    /// Rows whose sum is infinite begin anew.
    template <class States>
    FADE_FN void forget_infinite(Block& block, States& states) {
        each_column(block, [&](lane_coord p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            if (!(state.sum <= max_sum)) state = {hidden_score, 0};
        });
    }
    /// A tile that was softened twice counts once, but in rows that began anew.
    template <class States>
    FADE_FN void count_once(Block& block, States& states) {
        each_column(block, [&](lane_coord p, int j, int c) {
            if (lanes_[p].factor[j][c][0] > 0)
                states.lanes[p].of[j][c].sum -= lanes_[p].probabilities[j][c].total();
        });
    }
    /// Moves the maxima that are passed by too much, each by itself, so that results do not depend on other
    /// queries.
    template <class States, class Outputs>
    FADE_FN void move_maximum(Block& block, States& states, Outputs& outputs, float scale_log2) {
        share_maximum(block);
        each_column(block, [&](lane_coord p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            const float largest = lanes_[p].largest[j][c];
            lanes_[p].factor[j][c] = passes(largest, state, scale_log2)
                                         ? update_max<Block>(state, largest, scale_log2)
                                         : vec<float, 2>{1, 1};
            lanes_[p].probabilities[j][c] = pairs(scale_log2, state.maximum);
        });
        rescale_rows(block, outputs);
    }
    template <class Outputs>
    FADE_FN void rescale_row(Block& block, Outputs& outputs, int i) {
        each_column(
            block, [&](lane_coord p, int j, int c) { rescale(outputs, p, i, j, c, lanes_[p].factor[j][c]); });
    }
    template <class Outputs>
    FADE_FN void rescale_rows(Block& block, Outputs& outputs) {
        FADE_UNROLL
        for (int i = 0; i < Outputs::rows; ++i) rescale_row(block, outputs, i);
    }
    /// The same, where some maximum of the wave has moved.
    template <class Outputs>
    FADE_FN void rescale_moved(Block& block, Outputs& outputs) {
        bool moved = false;
        each_column(block, [&](lane_coord p, int j, int c) { moved |= lanes_[p].factor[j][c][0] != 1; });
        if (Block::any_lane(moved)) rescale_rows(block, outputs);
    }
    /// Scores of pair n become exponents.
    FADE_FN void scale(Block& block, scores_type& scores, int n) {
        each_column(block, [&](lane_coord p, int j, int c) {
            lanes_[p].probabilities[j][c].scale(scores, p, n, j, c);
        });
    }
    /// Exponents of pair n become probabilities.
    FADE_FN void exponentiate(Block& block, scores_type& scores, int n) {
        each_column(block, [&](lane_coord p, int j, int c) {
            lanes_[p].probabilities[j][c].exponentiate(scores, p, n, j, c);
        });
    }
    /// The probabilities of a tile take part in the sums.
    template <class States>
    FADE_FN void count(Block& block, States& states) {
        each_column(block, [&](lane_coord p, int j, int c) {
            states.lanes[p].of[j][c].sum += lanes_[p].probabilities[j][c].total();
        });
    }
    template <class States>
    FADE_FN void soften(Block& block, scores_type& scores, States& states, int n) {
        scale(block, scores, n), exponentiate(block, scores, n);
        if (n == pair_count - 1) count(block, states);
    }
    /// The whole tile.
    template <class States>
    FADE_FN void soften_all(Block& block, scores_type& scores, States& states) {
        FADE_UNROLL
        for (int n = 0; n < pair_count; ++n) soften(block, scores, states, n);
    }

private:
    /// Weights of up to 2^8 lose nothing in f16 and bf16, whose sums are f32.
    FADE_FN static bool passes(float largest, const softmax_state& state, float scale_log2) {
        return (largest - state.maximum) * scale_log2 > 8;
    }

    /// The largest of what lanes that share a row give.
    template <class F>
    FADE_FN void share(Block& block, F f) {
        block.each_wave([&](wave_coord w) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
            for (int c = 0; c < slots; ++c) {
                wave::lane_values<Block, float> all;
                block.each_lane_of(w, [&](lane_coord p) { all.at(p.lane) = f(p, j, c); });
                wave::share_columns<atom>(block, w, all,
                                          [](float a, float b) { return Block::maximum(a, b); });
                block.each_lane_of(w, [&](lane_coord p) { lanes_[p].largest[j][c] = all.at(p.lane); });
            }
        });
    }
    template <class F>
    FADE_FN void each_column(Block& block, F f) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
            for (int c = 0; c < slots; ++c) f(p, j, c);
        });
    }
    per_lane<Block, lane_columns> lanes_;
};

}  // namespace FADE_NAMESPACE::block

// Scores a tile ahead: matrix instructions compute the scores of the next tile, and weigh the values of this one, while the vector ALU does this tile's softmax.
// The order of FlashAttention-3 within a warpgroup (Shah et al. 2024), spread evenly over all products of a wave.
#pragma once
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/units.hpp>

namespace fade::kernel {

/// The softmax of a tile in pieces.
template <class Block, class Traits>
class softmax_pieces {
    using scores_type = typename Traits::template scores<Block>;
    using atom = typename scores_type::atom;
    using pairs = weight_pairs<Block, scores_type>;
    static constexpr int columns = scores_type::columns, slots = atom::lane_columns;
    struct lane_columns {
        float largest[columns][slots];
        vec<float, 2> shrink[columns][slots];
        pairs weights[columns][slots];
    };

public:
    static constexpr int pair_count = pairs::count;

    FADE_FN void find_maximum(Block& block, scores_type& scores) {
        each_column(block, [&](place p, int j, int c) {
            float m = minus_infinity;
            FADE_UNROLL
            for (int i = 0; i < scores_type::rows; ++i) m = larger_score<Block>(scores, p, i, j, c, m);
            lanes_[p].largest[j][c] = m;
        });
    }
    FADE_FN void share_maximum(Block& block) {
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
                for (int c = 0; c < slots; ++c) {
                    wave::lane_values<Block, float> all;
                    block.each_lane_of(w, [&](place p) { all.at(p.lane) = lanes_[p].largest[j][c]; });
                    wave::share_columns<atom>(block, w, all, [](float a, float b) { return Block::maximum(a, b); });
                    block.each_lane_of(w, [&](place p) { lanes_[p].largest[j][c] = all.at(p.lane); });
                }
        });
    }
    template <class States>
    FADE_FN void turn(Block& block, States& states, float scale_log2) {
        each_column(block, [&](place p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            lanes_[p].shrink[j][c] = turn_to<Block>(state, lanes_[p].largest[j][c], scale_log2);
            lanes_[p].weights[j][c] = pairs(scale_log2, state.maximum);
        });
    }
    /// Does a largest score of this tile pass its query's maximum by too much?
    template <class States>
    FADE_FN bool must_move(Block& block, States& states, float scale_log2) {
        bool moves = false;
        each_column(block, [&](place p, int j, int c) { moves |= passes(lanes_[p].largest[j][c], states.lanes[p].of[j][c], scale_log2); });
        return Block::any_lane(moves);
    }
    /// Moves the maxima that are passed by too much, each by itself, so that results do not depend on other queries.
    template <class States, class Outputs>
    FADE_FN void move_maximum(Block& block, States& states, Outputs& outputs, float scale_log2) {
        share_maximum(block);
        each_column(block, [&](place p, int j, int c) {
            softmax_state& state = states.lanes[p].of[j][c];
            const float largest = lanes_[p].largest[j][c];
            lanes_[p].shrink[j][c] = passes(largest, state, scale_log2) ? turn_to<Block>(state, largest, scale_log2) : vec<float, 2>{1, 1};
            lanes_[p].weights[j][c] = pairs(scale_log2, state.maximum);
        });
        FADE_UNROLL
        for (int i = 0; i < Outputs::rows; ++i) shrink_row(block, outputs, i);
    }
    template <class Outputs>
    FADE_FN void shrink_row(Block& block, Outputs& outputs, int i) {
        each_column(block, [&](place p, int j, int c) { shrink_outputs(outputs, p, i, j, c, lanes_[p].shrink[j][c]); });
    }
    template <class States>
    FADE_FN void exponentiate(Block& block, scores_type& scores, States& states, int n) {
        each_column(block, [&](place p, int j, int c) {
            lanes_[p].weights[j][c].exponentiate(scores, p, n, j, c);
            if (n == pair_count - 1) states.lanes[p].of[j][c].sum += lanes_[p].weights[j][c].total();
        });
    }

private:
    /// Weights of up to 2^8 lose nothing in f16 and bf16, whose sums are f32.
    FADE_FN static bool passes(float largest, const softmax_state& state, float scale_log2) { return largest * scale_log2 > state.maximum + 8; }

    template <class F>
    FADE_FN void each_column(Block& block, F f) {
        block.each_lane([&](place p) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
                for (int c = 0; c < slots; ++c) f(p, j, c);
        });
    }
    per_lane<Block, lane_columns> lanes_;
};

/// Which piece of the softmax stands beside which unit of the products.
template <class Traits, class Units, int Pairs>
struct piece_places {
    static constexpr int pairs_in_step = Traits::lane_k / 2;
    static constexpr int row(int i) { return i * (Units::scoring - 1) / Traits::value_rows; }
    static constexpr int pair(int n) { return 1 + n * (Units::all - 3) / Pairs; }
    static constexpr bool in_time = [] {
        for (int n = 0; n < Pairs; ++n)
            if (pair(n) >= Units::scoring + n / pairs_in_step * Units::values_in_step) return false;
        return Units::scoring >= 4;
    }();
    static_assert(in_time, "weights are there before the unit that takes them");
};

/// Takes a walk over an odd number of tiles that all queries see, and leaves it as its own steps would.
template <class Block, class Traits, class Walk, class Queries>
class walk_ahead {
    using units = product_units<Block, Traits>;
    using pieces = softmax_pieces<Block, Traits>;
    using places = piece_places<Traits, units, pieces::pair_count>;

public:
    FADE_FN walk_ahead(Block& block, Walk& walk, Queries& queries, float scale_log2) : block_(block), walk_(walk), queries_(queries), scale_log2_(scale_log2), units_(walk.product) {}

    FADE_FN void run(int tiles) {
        begin();
        for (int i = 1; i < tiles; i += 2) turn<0>(), turn<1>();   // by twos, so that scores need not move
        softmax_tile(block_, scores_[0], walk_.out, walk_.states, scale_log2_);
        block_.sync();   // the last values are there
        walk_.product.weigh(block_, walk_.out, scores_[0]);
        next_values();
    }

private:
    FADE_FN void next_keys() { walk_.keys.advance_rows(Traits::keys), walk_.keys.load(block_); }
    FADE_FN void next_values() { walk_.values.advance(Traits::keys), walk_.values.load(block_); }

    /// The scores of the first tile; then its values and the keys of the second are in shared memory.
    FADE_FN void begin() {
        next_keys();
        block_.sync();
        walk_.product.score(block_, scores_[0], queries_);
        walk_.values.store(block_, Traits::tile_v());
        block_.sync();
        walk_.keys.store(block_, Traits::tile_k());
        block_.sync();
        units_.read_keys(block_, 0);
        pieces_.find_maximum(block_, scores_[0]);
        pieces_.share_maximum(block_);
    }

    /// One tile, whose scores are there; those of the next are made meanwhile.
    template <int Now>
    FADE_FN void turn() {
        wave::zero(block_, scores_[1 - Now]);
        FADE_UNROLL
        for (int u = 0; u < units::scoring; ++u) score_next<Now>(u);
        FADE_UNROLL
        for (int u = 0; u < units::weighing; ++u) weigh<Now>(u);
    }

    /// The barriers stand before a last unit whose operands are in registers already.
    template <int Now>
    FADE_FN void score_next(int u) {
        if (u == units::scoring * 3 / 4) next_keys();
        if (u < units::scoring - 1) units_.read_keys(block_, u + 1);
        else {
            block_.sync();   // the values are there, and nobody reads the keys
            units_.read_values(block_, 0);
        }
        units_.score(block_, scores_[1 - Now], queries_, u);
        if (u == 0) pieces_.turn(block_, walk_.states, scale_log2_);
        FADE_UNROLL
        for (int i = 0; i < Traits::value_rows; ++i)
            if (places::row(i) == u) pieces_.shrink_row(block_, walk_.out, i);
        end_unit<Now>(u);
    }

    template <int Now>
    FADE_FN void weigh(int u) {
        if (u == units::weighing / 2 - 1) walk_.keys.store(block_, Traits::tile_k());
        if (u == units::weighing / 2) next_values();   // in the registers that the keys had
        if (u < units::weighing - 1) units_.read_values(block_, u + 1);
        else {
            block_.sync();   // the keys are there, and nobody reads the values
            units_.read_keys(block_, 0);
            walk_.values.store(block_, Traits::tile_v());
        }
        units_.weigh(block_, walk_.out, u);
        if (u == units::weighing - 2) pieces_.find_maximum(block_, scores_[1 - Now]);
        if (u == units::weighing - 1) pieces_.share_maximum(block_);
        end_unit<Now>(units::scoring + u);
    }

    template <int Now>
    FADE_FN void end_unit(int u) {
        FADE_UNROLL
        for (int n = 0; n < pieces::pair_count; ++n)
            if (places::pair(n) == u) {
                pieces_.exponentiate(block_, scores_[Now], walk_.states, n);
                if (n % places::pairs_in_step == places::pairs_in_step - 1) units_.take_weights(block_, scores_[Now], n / places::pairs_in_step);
            }
        Block::template spread<units::products_in_unit, vector_mix{.exponentials = 1, .others = 5}>();
    }

    Block& block_;
    Walk& walk_;
    Queries& queries_;
    float scale_log2_;
    units units_;
    pieces pieces_;
    typename Traits::template scores<Block> scores_[2];
};

/// Walks over as many of the next `tiles` as fit its form; returns how many.
template <class Traits, class Block, class Walk, class Queries>
FADE_FN int step_ahead(Block& block, Walk& walk, Queries& queries, float scale_log2, int tiles) {
    const int odd = tiles - 1 + tiles % 2;
    if (odd < 3) return 0;
    walk_ahead<Block, Traits, Walk, Queries>(block, walk, queries, scale_log2).run(odd);
    return odd;
}

}  // namespace fade::kernel

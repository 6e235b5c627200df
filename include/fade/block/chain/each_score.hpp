// The scores of a tile, and the states of its rows, by the query, head and key that each belongs to.
#pragma once
#include <fade/block/chain/tile_rows.hpp>
#include <fade/wave/chain.hpp>
#include <fade/wave/keep.hpp>

namespace FADE_NAMESPACE::block {

/// A column of scores that a lane holds a part of: its query and head, and the key of its first register.
struct score_column {
    int query, head, first_key;
};

/// How much further than a column's first key the key of register g of atom row i lies; the same for all
/// lanes.
template <class Atom>
FADE_FN constexpr int key_offset(int i, int g) {
    return wave::chain<Atom>::key_at(0, i, g) - wave::chain<Atom>::key_at(0, 0, g % Atom::lane_columns);
}

/// Calls f(score, column, key's offset) for every score of every lane. What f computes from the column alone,
/// the compiler computes once.
template <class Block, class Scores, class Rows, class F>
FADE_FN void each_score(Block& block, Scores& scores, int first_key, const Rows& rows, F f) {
    using atom = typename Scores::atom;
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Scores::columns; ++j) FADE_UNROLL
        for (int c = 0; c < atom::lane_columns; ++c) FADE_UNROLL
        for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
        for (int r = 0; r < atom::d_size / atom::lane_columns; ++r) {
            const int g = r * atom::lane_columns + c;
            const row_owner row = rows.template owner<atom>(p, j, c);
            f(scores.at(p, i, j)[g],
              score_column{row.query, row.head, first_key + wave::chain<atom>::key_at(p.lane, 0, c)},
              key_offset<atom>(i, g));
        }
    });
}

/// Has the scores computed before what follows: branches around loads would draw the products behind them,
/// while all that they read waits in registers.
template <class Block, class Scores>
FADE_FN void fence_scores(Block& block, Scores& scores) {
    each_score(block, scores, 0, head_rows{},
               [](float& s, const score_column&, int) { s = wave::fenced<Block>(s); });
}

/// Does a lane hold keys in aligned runs of `length` that it can have held all?
template <class Atom>
constexpr bool keys_in_runs_of(int length) {
    return wave::chain<Atom>::key_at(Atom::lanes - 1, 0, 0) % length == 0 &&
           wave::chain<Atom>::key_at(Atom::n, 0, 0) % length == 0;
}

/// Calls f(state, its row's owner, first) for the states that lanes hold; `first` in one of the lanes that
/// share a row.
template <class Block, class States, class Rows, class F>
FADE_FN void each_state(Block& block, States& states, const Rows& rows, F f) {
    using atom = typename States::atom;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int j = 0; j < States::columns; ++j) FADE_UNROLL
        for (int c = 0; c < States::slots; ++c)
            f(states.lanes[p].of[j][c], rows.template owner<atom>(p, j, c), atom::d_at(p.lane, c).major == 0);
    });
}

}  // namespace FADE_NAMESPACE::block

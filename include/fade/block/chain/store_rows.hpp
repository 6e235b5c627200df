// How rows of which lanes hold parts go to memory: outputs over their sums.
#pragma once
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/block/chain/tile_rows.hpp>
#include <fade/block/online_softmax.hpp>
#include <fade/core/dtype.hpp>
#include <fade/wave/row_runs.hpp>
#include <fade/wave/transpose_words.hpp>

namespace FADE_NAMESPACE::block {

/// Where a lane's part of a row goes, and what it is multiplied by.
struct stored_row {
    std::uint32_t begin;
    bool exists;
    float factor;
};

/// The byte offset of a column of it; `outside` where it does not exist.
template <class Outputs>
FADE_FN std::uint32_t place_of_column(const stored_row& row, const Outputs& to, int column) {
    return row.exists && column < to.columns
               ? row.begin + std::uint32_t(column) * std::uint32_t(sizeof(typename Outputs::element))
               : backend::outside;
}

/// What a lane has of a row, Run neighbours at a time.
template <class Traits, int Run, class Walk, class Memory, class Outputs>
FADE_FN void store_row(Walk& walk, lane_coord p, int j, int c, const Memory& memory, const Outputs& to,
                       int first_column, const stored_row& row) {
    using atom = typename Traits::atom;
    using T = typename Outputs::element;
    FADE_UNROLL
    for (int i = 0; i < walk.out.rows; ++i) FADE_UNROLL
    for (int g = c; g < atom::d_size; g += Run * atom::lane_columns) {
        vec<T, Run> run;
        FADE_UNROLL
        for (int r = 0; r < Run; ++r)
            run[r] = convert<T>(walk.out.at(p, i, j)[g + r * atom::lane_columns] * row.factor);
        const int column = first_column + i * atom::m + atom::d_at(p.lane, g).major;
        memory.store(place_of_column(row, to, column), run);
    }
}

/// Do neighbouring lanes hold so little of a row each that they store faster together?
template <class Traits, class T>
inline constexpr bool stores_together = sizeof(T) == 2 && wave::lanes_in_row<typename Traits::atom>() > 1;

/// A lane's words of one row in as many neighbouring atoms as lanes hold it, from the i-th on.
template <class Atom, class T, class Block, class Walk>
FADE_FN auto row_words(Block&, Walk& walk, lane_coord p, int i, int j, int c, float factor) {
    vec<float, wave::lanes_in_row<Atom>()> words;
    FADE_UNROLL
    for (int n = 0; n < words.size; ++n) {
        const auto& d = walk.out.at(p, i + n, j);
        words[n] = __builtin_bit_cast(
            float, Block::template narrow<T>(d[c] * factor, d[c + Atom::lane_columns] * factor));
    }
    return words;
}

/// Neighbouring lanes exchange words and store the row of one atom each, 16 bytes. `row_of(lane_coord, j, c)`
/// is a stored_row.
template <class Traits, class Block, class Walk, class Memory, class Outputs, class F>
FADE_FN void store_together(Block& block, Walk& walk, const Memory& memory, const Outputs& to,
                            int first_column, F row_of) {
    using atom = typename Traits::atom;
    using T = typename Outputs::element;
    constexpr int lanes = wave::lanes_in_row<atom>();
    static_assert(lanes * 2 == atom::m && atom::d_size == 2 * atom::lane_columns &&
                      decltype(Walk::out)::rows % lanes == 0,
                  "a lane holds a pair of an atom's row, and rows are whole groups of atoms");
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
        for (int c = 0; c < atom::lane_columns; ++c) {
            wave::lane_values<Block, stored_row> row;
            block.each_lane_of(w, [&](lane_coord p) {
                row.at(p.lane) = row_of(p, j, c);
                row.at(p.lane).begin += std::uint32_t(first_column + p.lane % lanes * atom::m) *
                                        std::uint32_t(sizeof(T));  // of the lane's part
            });
            FADE_UNROLL
            for (int i = 0; i < walk.out.rows; i += lanes) {
                wave::lane_values<Block, vec<float, lanes>> words;
                block.each_lane_of(w, [&](lane_coord p) {
                    words.at(p.lane) = row_words<atom, T>(block, walk, p, i, j, c, row.at(p.lane).factor);
                });
                wave::transpose_words(block, w, words);
                block.each_lane_of(w, [&](lane_coord p) {
                    const bool exists =
                        row.at(p.lane).exists && first_column + (i + p.lane % lanes) * atom::m < to.columns;
                    memory.stream(exists ? row.at(p.lane).begin : backend::outside, words.at(p.lane),
                                  std::uint32_t(i * atom::m) * std::uint32_t(sizeof(T)));
                });
            }
        }
    });
}

/// Which rows of outputs a workgroup has: the first of them, of how many queries, and the column it begins
/// at.
struct stored_tile {
    int first_query, queries, first_column;
};

/// What a walk found, as `to` wants it: outputs over their sums, times walk.value_scale. `keep_sum(row, its
/// owner, largest score, sum of probabilities beside it)` takes those, the score as the formulas have it. A
/// query that sees no key gets zeros and a sum of zero.
template <class Traits, class Block, class Walk, class Rows, class Outputs, class F>
FADE_FN void store_averages(Block& block, Walk& walk, const stored_tile& tile, const Rows& rows,
                            const Outputs& to, F keep_sum) {
    using atom = typename Traits::atom;
    using T = typename Outputs::element;
    constexpr bool can_together = stores_together<Traits, T>;
    constexpr int run = can_together ? atom::m : Traits::stored_run;
    finish_sums(block, walk.states);
    const bool runs = to.in_runs(run) && reinterpret_cast<std::uintptr_t>(to.base) % (run * sizeof(T)) == 0;
    const auto memory =
        block.global(to.begin(tile.first_query), to.base, to.last(rows.count(tile.queries)) + to.columns);
    const auto row_of = [&](lane_coord p, int j, int c) -> stored_row {
        const softmax_state& state = walk.states.lanes[p].of[j][c];
        const row_owner owner = rows.template owner<atom>(p, j, c);
        return {std::uint32_t(to.offset(row_in_tile<atom>(p, Traits::wave_queries, j, c), owner)) *
                    std::uint32_t(sizeof(T)),
                owner.query < tile.queries,
                state.sum == 0 ? 0.0f : walk.value_scale * Block::reciprocal(state.sum)};
    };
    if constexpr (can_together)
        if (runs) store_together<Traits>(block, walk, memory, to, tile.first_column, row_of);
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
        for (int c = 0; c < walk.states.slots; ++c) {
            const stored_row row = row_of(p, j, c);
            if (runs && !can_together)
                store_row<Traits, Traits::stored_run>(walk, p, j, c, memory, to, tile.first_column, row);
            else if (!runs)
                store_row<Traits, 1>(walk, p, j, c, memory, to, tile.first_column, row);
            const softmax_state& state = walk.states.lanes[p].of[j][c];
            if (row.exists && atom::d_at(p.lane, c).major == 0 && tile.first_column == 0)
                keep_sum(rows.first + row_in_tile<atom>(p, Traits::wave_queries, j, c),
                         rows.template owner<atom>(p, j, c), state.maximum * (walk.scale_log2 * ln_2),
                         state.sum);
        }
    });
}

}  // namespace FADE_NAMESPACE::block

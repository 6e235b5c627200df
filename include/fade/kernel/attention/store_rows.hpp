// How the rows of O that lanes hold parts of go to memory.
#pragma once
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/wave/transpose_words.hpp>

namespace FADE_NAMESPACE::kernel {

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
inline constexpr bool stores_together = sizeof(T) == 2 && lanes_in_row<typename Traits::atom>() > 1;

/// A lane's words of one row in as many neighbouring atoms as lanes hold it, from the i-th on.
template <class Atom, class T, class Block, class Walk>
FADE_FN auto row_words(Block&, Walk& walk, lane_coord p, int i, int j, int c, float factor) {
    vec<float, lanes_in_row<Atom>()> words;
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
    constexpr int lanes = lanes_in_row<atom>();
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

}  // namespace FADE_NAMESPACE::kernel

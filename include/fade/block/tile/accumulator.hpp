// Results of products in registers, row by row: their elements, and values that belong to rows.
#pragma once
#include <fade/block/tile/shared.hpp>
#include <fade/core/number/score.hpp>
#include <fade/wave/reduce.hpp>

namespace FADE_NAMESPACE::tile {

/// The result of A B in the registers of a workgroup: A::rows x B::columns sums. It is computed transposed,
/// so that the lanes that share a row are few, and what a lane has of a row lies side by side. All waves have
/// whole rows.
template <class Block, class A, class B>
struct accumulator : wave::accumulator<Block, typename A::atom, B::columns / A::atom::m,
                                       A::rows / max_of(A::atom::n* Block::waves, 1)> {
    using atom = typename A::atom;  ///< what multiplies
    using b = B;                    ///< the tile whose columns it has
    static_assert(
        A::rows % (atom::n * Block::waves) == 0,
        "the waves of a workgroup share the rows of A evenly, in whole atoms: let rows / waves be a "
        "multiple of atom_rows<Arch, T>");
    static constexpr int tile_rows = A::rows;                 ///< of the workgroup
    static constexpr int tile_columns = B::columns;           ///< of the workgroup
    static constexpr int wave_rows = A::rows / Block::waves;  ///< of a wave
    static constexpr int slots = atom::lane_columns;          ///< rows that a lane has of an atom
    static constexpr int slot_size = atom::d_size / slots;    ///< elements of each of them
    static constexpr int lane_rows = accumulator::columns;    ///< atoms below each other
    static constexpr int row_atoms = accumulator::rows;       ///< atoms beside each other

    /// Without values until zero() gives it some.
    FADE_FN accumulator() {}
    /// Zeros.
    FADE_FN explicit accumulator(Block& block) { wave::zero(block, *this); }

    /// The row that slot c of atom row j stands for in a lane's registers.
    FADE_FN static int row_at(lane_coord p, int j, int c) {
        return p.wave * wave_rows + j * atom::n + atom::d_at(p.lane, c).minor;
    }
    /// The column of register g of a lane in the i-th atom of a row.
    FADE_FN static int column_at(lane_coord p, int i, int g) { return B::column_at(p.lane, i, g); }
};

/// Sets all elements to zero.
template <class Block, class Acc>
FADE_FN void zero(Block& block, Acc& acc) {
    wave::zero(block, acc);
}

/// A number for each row of an accumulator, held by all lanes that have a part of the row.
template <class Block, class Acc>
struct row_values {
    static constexpr int rows = Acc::lane_rows;  ///< atoms below each other
    static constexpr int slots = Acc::slots;     ///< rows that a lane has of an atom
    /// Those of one lane.
    struct lane_values {
        float of[rows][slots];  ///< by atom row and slot
    };
    per_lane<Block, lane_values> lanes;  ///< of every lane
    /// Of slot c of atom row j of a lane.
    FADE_FN constexpr float& at(lane_coord p, int j, int c) { return lanes[p].of[j][c]; }

    FADE_FN row_values() {}
    /// Zeros.
    FADE_FN row_values(Block& block, const Acc&) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < rows; ++j) FADE_UNROLL
            for (int c = 0; c < slots; ++c) at(p, j, c) = 0;
        });
    }
};

/// Calls f(value, others...) for each row, with the values of that row.
template <class Block, class F, class Values, class... Others>
FADE_FN void row_map(Block& block, F f, Values& values, Others&... others) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Values::rows; ++j) FADE_UNROLL
        for (int c = 0; c < Values::slots; ++c) f(values.at(p, j, c), others.at(p, j, c)...);
    });
}

/// Calls f(element, values...) for each element of an accumulator, with the values of its row.
template <class Block, class Acc, class F, class... Values>
FADE_FN void map(Block& block, Acc& acc, F f, Values&... values) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
        for (int c = 0; c < Acc::slots; ++c) FADE_UNROLL
        for (int i = 0; i < Acc::row_atoms; ++i) FADE_UNROLL
        for (int r = 0; r < Acc::slot_size; ++r)
            f(acc.at(p, i, j)[r * Acc::slots + c], values.at(p, j, c)...);
    });
}

/// Calls f(element, row, column) for each element, with its place in the tile.
template <class Block, class Acc, class F>
FADE_FN void each_element(Block& block, Acc& acc, F f) {
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
        for (int c = 0; c < Acc::slots; ++c) FADE_UNROLL
        for (int i = 0; i < Acc::row_atoms; ++i) FADE_UNROLL
        for (int r = 0; r < Acc::slot_size; ++r) {
            const int g = r * Acc::slots + c;
            f(acc.at(p, i, j)[g], Acc::row_at(p, j, c), Acc::column_at(p, i, g));
        }
    });
}

/// Hides the scores whose row and column in the tile keep(row, column) is not true of: no softmax sees them.
template <class Block, class Acc, class F>
FADE_FN void mask(Block& block, Acc& scores, F keep) {
    each_element(block, scores, [&](float& s, int row, int column) {
        auto bits = __builtin_bit_cast(std::uint32_t, keep(row, column) ? s : hidden_score);
        Block::keep(bits);  // one by one: comparisons of a whole tile would not fit the scalar registers
        s = __builtin_bit_cast(float, bits);
    });
}

/// Hides what is right of a diagonal: scores of row r in columns above r + diagonal.
template <class Block, class Acc>
FADE_FN void causal_mask(Block& block, Acc& scores, int diagonal) {
    if (diagonal < Acc::tile_columns - 1)
        mask(block, scores, [&](int row, int column) { return column <= row + diagonal; });
}

/// Multiplies each row by its value.
template <class Block, class Acc, class Values>
FADE_FN void mul_row(Block& block, Acc& acc, Values& factors) {
    map(block, acc, [](float& x, float factor) { x *= factor; }, factors);
}

/// Elements become powers of two of themselves.
template <class Block, class Acc>
FADE_FN void exp2(Block& block, Acc& acc) {
    map(block, acc, [](float& x) { x = Block::exp2(x); });
}

}  // namespace FADE_NAMESPACE::tile

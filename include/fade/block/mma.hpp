// acc += A B over a pair of shared tiles, by all waves of a workgroup.
#pragma once
#include <fade/block/shared_layout.hpp>
#include <fade/wave/load.hpp>
#include <fade/wave/mma.hpp>

namespace fade::block {

/// How the waves of a workgroup share its tile: a grid of rows x columns of wave tiles, row-major.
template <int Rows, int Columns, int TileM, int TileN>
struct wave_grid {
    static constexpr int waves = Rows * Columns;
    FADE_FN static constexpr int row_of(int wave) { return wave / Columns * TileM; }
    FADE_FN static constexpr int column_of(int wave) { return wave % Columns * TileN; }
};

/// Where in its atom's tile a lane begins to read: a row (or column) and a k.
struct lane_start {
    int row, k;
};

template <class Grid, class Block, class Acc, class TileA, class TileB>
FADE_FN void mma_step(Block& block, wave_place w, Acc& acc, const TileA& a, const TileB& b, int k) {
    using atom = typename Acc::atom;
    using element = typename atom::element;
    wave::operand_fragment<Block, element, atom::lane_rows * atom::lane_k, Acc::rows> fragment_a;
    wave::operand_fragment<Block, element, atom::lane_columns * atom::lane_k, Acc::columns> fragment_b;
    wave::load<atom::m>(block, w, a, Grid::row_of(w.wave), fragment_a, [&](int lane) { return lane_start{atom::a_row(lane, 0), k + atom::k_group(lane) * atom::lane_k}; });
    wave::load<atom::n>(block, w, b, Grid::column_of(w.wave), fragment_b, [&](int lane) { return lane_start{atom::b_column(lane, 0), k + atom::k_group(lane) * atom::lane_k}; });
    constexpr int slices = atom::lane_k * atom::k_groups / atom::k;
    FADE_UNROLL
    for (int s = 0; s < slices; ++s) FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
            for (int j = 0; j < Acc::columns; ++j) wave::mma(block, w, acc, fragment_a, fragment_b, i, j, s);
}

/// acc += A B^T for tiles a (rows x depth) and b (columns x depth) in shared memory. All waves call it; the caller has synchronised.
template <class Grid, class Block, class Acc, class TileA, class TileB>
FADE_FN void mma(Block& block, Acc& acc, const TileA& a, const TileB& b) {
    using atom = typename Acc::atom;
    constexpr int depth = TileA::layout::depth, step = atom::lane_k * atom::k_groups;
    static_assert(depth % step == 0, "the depth of a block tile is a multiple of what the lanes of an atom load at once");
    block.each_wave([&](wave_place w) {
        FADE_UNROLL
        for (int k = 0; k < depth; k += step) mma_step<Grid>(block, w, acc, a, b, k);
    });
}

}  // namespace fade::block

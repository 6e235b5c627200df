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

/// Multiplies shared tiles of two layouts; made before the loop over k, because it holds every lane's addresses.
template <class Block, class Acc, class Grid, class LayoutA, class LayoutB>
class multiplier {
    using atom = typename Acc::atom;
    using element = typename atom::element;
    using reader_a = wave::operand_reader<Block, LayoutA, atom::m, atom::lane_rows, atom::lane_k, atom::k_groups>;
    using reader_b = wave::operand_reader<Block, LayoutB, atom::n, atom::lane_columns, atom::lane_k, atom::k_groups>;
    static_assert(LayoutA::depth % (atom::lane_k * atom::k_groups) == 0, "the depth of a block tile is a multiple of what the lanes of an atom load at once");

public:
    FADE_FN explicit multiplier(Block& block)
        : a_(block, Grid::row_of, [](int lane, int r) { return lane_start{atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k}; }),
          b_(block, Grid::column_of, [](int lane, int c) { return lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k}; }) {}

    /// acc += A B^T for tiles a (rows x depth) and b (columns x depth). All waves call it; the caller has synchronised.
    FADE_FN void multiply(Block& block, Acc& acc, const shared_tile<LayoutA>& a, const shared_tile<LayoutB>& b) {
        block.each_wave([&](wave_place w) {
            FADE_UNROLL
            for (int s = 0; s < reader_a::k_steps; ++s) step(block, w, acc, a.base, b.base, s);
        });
    }

private:
    FADE_FN void step(Block& block, wave_place w, Acc& acc, std::uint32_t base_a, std::uint32_t base_b, int s) {
        wave::operand_fragment<Block, element, atom::lane_rows * atom::lane_k, Acc::rows> a;
        wave::operand_fragment<Block, element, atom::lane_columns * atom::lane_k, Acc::columns> b;
        a_.load(block, w, base_a, s, a);
        b_.load(block, w, base_b, s, b);
        constexpr int slices = atom::lane_k * atom::k_groups / atom::k;
        FADE_UNROLL
        for (int slice = 0; slice < slices; ++slice) FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j) wave::mma(block, w, acc, a, b, i, j, slice);
    }

    reader_a a_;
    reader_b b_;
};

}  // namespace fade::block

// Accumulators, element by element at their place in the workgroup's tile: to memory, or as an operand of a
// next product.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/shared_layout.hpp>
#include <fade/core/dtype.hpp>
#include <fade/wave/fragment.hpp>

namespace FADE_NAMESPACE::block {

/// Calls f(place, row, column, element) for every element of a tile that the waves of Grid share.
template <class Grid, class Block, class Acc, class F>
FADE_FN void place_elements(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    static_assert(Acc::rows * atom::m == Grid::tile_m && Acc::columns * atom::n == Grid::tile_n &&
                      Block::waves == Grid::waves,
                  "an accumulator is the wave tile of its grid, and the grid has the waves of the workgroup");
    block.each_lane([&](place p) {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
        for (int g = 0; g < atom::d_size; ++g) {
            const auto at = atom::d_at(p.lane, g);
            f(p, Grid::row_of(p.wave) + i * atom::m + at.major,
              Grid::column_of(p.wave) + j * atom::n + at.minor, acc.at(p, i, j)[g]);
        }
    });
}

/// Writes a tile of accumulators, converted, as operand A of a next product: its columns become k of a shared
/// or sliced tile. Who reads the tile synchronises first, and so does who overwrites it. Elements move one by
/// one; where both products have fitting maps, wave/convert.hpp keeps them in registers.
template <class Grid, class Block, class Acc, class Tile>
FADE_FN void to_operand(Block& block, Acc& acc, const Tile& to) {
    using element = typename Tile::layout::element;
    place_elements<Grid>(block, acc, [&](place p, int row, int column, typename Acc::element value) {
        block.store_shared(p, to.at(row, column), vec<element, 1>{convert<element>(value)});
    });
}

/// Stores the first `rows` rows and `columns` columns of a tile to a row-major matrix, from `to` on.
template <class Grid, class Block, class Acc, class T>
FADE_FN void store_rows(Block& block, Acc& acc, T* to, index ld, int rows, int columns) {
    const auto memory = block.global(to, to, to + (rows - 1) * ld + columns);
    place_elements<Grid>(block, acc, [&](place, int row, int column, typename Acc::element value) {
        const auto at = std::uint32_t((row * ld + column) * index(sizeof(T)));
        memory.store(row < rows && column < columns ? at : backend::outside, vec<T, 1>{convert<T>(value)});
    });
}

}  // namespace FADE_NAMESPACE::block

// From a shared tile to the operand registers of a wave.
#pragma once
#include <fade/atom/shape.hpp>
#include <fade/wave/fragment.hpp>

namespace fade::wave {

/// Moves a vec in pieces of at most 16 bytes; consecutive 16-byte chunks of a swizzled row need not be neighbours.
template <class Block, class Tile, class V>
FADE_FN void load_run(Block& block, place p, const Tile& tile, int row, int k, V& to) {
    using element = typename Tile::layout::element;
    constexpr int piece = least(V::size, 16 / int(sizeof(element)));
    constexpr bool along_k = Tile::layout::order == atom::operand_order::k_contiguous;
    FADE_UNROLL
    for (int i = 0; i < V::size; i += piece) {
        const auto part = block.template load_shared<vec<element, piece>>(p, along_k ? tile.at(row, k + i) : tile.at(row, k) + i * int(sizeof(element)));
        FADE_UNROLL
        for (int e = 0; e < piece; ++e) to[i + e] = part[e];
    }
}

/// The fragments of `Tiles` neighbouring atoms from row `first` on, at one step of k.
/// `Rows` is how many rows an atom spans; `row_of(lane, r)` the row of its r-th vector.
template <int Rows, class Block, class Tile, class Fragment, class RowOf>
FADE_FN void load(Block& block, wave_place w, const Tile& tile, int first, Fragment& to, RowOf row_of) {
    constexpr int tiles = int(sizeof(to.held[0]) / sizeof(to.held[0][0]));
    block.each_lane_of(w, [&](place p) {
        const auto [row, k] = row_of(p.lane);
        FADE_UNROLL
        for (int t = 0; t < tiles; ++t) load_run(block, p, tile, first + t * Rows + row, k, to.at(p.lane, t));
    });
}

}  // namespace fade::wave

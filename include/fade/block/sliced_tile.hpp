// A shared tile that is deeper than one step of a product.
#pragma once
#include <fade/block/shared_layout.hpp>

namespace FADE_NAMESPACE::block {

/// Slices along k, one after the other, each of the layout's depth.
template <class Layout, int Slices>
struct sliced_tile {
    using layout = Layout;
    static constexpr int slices = Slices, bytes = Slices * Layout::bytes;
    std::uint32_t base;

    FADE_FN constexpr shared_tile<Layout> slice(int s) const {
        return {base + std::uint32_t(s * Layout::bytes)};
    }
    FADE_FN constexpr std::uint32_t at(int row, int k) const {
        return slice(k / Layout::depth).at(row, k % Layout::depth);
    }
};

/// Copies a whole tile, slice by slice. Who reads it synchronises first.
template <class Block, class Loader, class Tile>
FADE_FN void copy(Block& block, Loader loader, const Tile& to) {
    FADE_ROLLED
    for (int s = 0; s < Tile::slices; ++s) {
        loader.load(block);
        loader.store(block, to.slice(s));
        loader.advance(Tile::layout::depth);
    }
}

/// acc += A B^T over all slices, by a multiplier of their layouts. The loop stays one, so that one slice is
/// in flight.
template <class Block, class Multiplier, class Acc, class TileA, class TileB>
FADE_FN void multiply(Block& block, Multiplier& product, Acc& acc, const TileA& a, const TileB& b) {
    FADE_ROLLED
    for (int s = 0; s < TileA::slices; ++s) product.multiply(block, acc, a.slice(s), b.slice(s));
}

}  // namespace FADE_NAMESPACE::block

// What a schedule gives a workgroup to do.
#pragma once
#include <fade/block/schedule/grid_order.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::block {

/// A tile of an output, of which layer: batches, and parts of k, lie one behind the other.
struct work_item {
    tile_index tile;
    int layer;
};

/// How the tiles of a layer are walked over: in groups of rows, which share operands in a cache, and in runs
/// that go to one compute die.
struct tile_walk {
    int tile_rows, tile_columns, swizzle_rows, xcds, xcd_chunk;

    FADE_FN int count() const { return tile_rows * tile_columns; }
    FADE_FN tile_index at(int number) const {
        return swizzled_order(xcd_order(number, count(), xcds, xcd_chunk), tile_rows, tile_columns,
                              swizzle_rows);
    }
    /// The same where `xcds` is 1, by fewer divisions.
    FADE_FN tile_index at_on_one_die(int number) const {
        return quick_order(number, tile_rows, tile_columns, swizzle_rows);
    }
};

/// One column of tiles after another.
FADE_FN constexpr tile_walk walk_by_columns(int tile_rows, int tile_columns) {
    return {tile_rows, tile_columns, tile_rows, 1, 1};
}

}  // namespace FADE_NAMESPACE::block

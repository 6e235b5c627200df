// Workgroups that stay, over tiles of groups whose rows lie one behind the other, as many as a table in the
// device's memory says.
#pragma once
#include <fade/block/schedule/grouped.hpp>

namespace FADE_NAMESPACE::block {

/// Each workgroup takes every so many-th tile, counted over all groups: a group's tiles follow one another in
/// the order of a grid. Only tiles that have rows are counted, so that all workgroups have as many: a
/// workgroup reads the table once from its begin to its end, beside its tiles.
struct persistent_groups {
    row_groups groups;
    int tile_rows;                   ///< rows of a tile
    int tile_columns, swizzle_rows;  ///< counted in tiles
    int first, workgroups, rank = 0;

    /// Of `all`, as many as were launched.
    template <class Block>
    FADE_FN persistent_groups(const Block& block, const row_groups& of, int rows_of_tile,
                              const tile_walk& walk, int all)
        : groups(of), tile_rows(rows_of_tile), tile_columns(walk.tile_columns),
          swizzle_rows(walk.swizzle_rows), first(int(block.id_x())), workgroups(all) {}

    /// Tile `number` of a group that has the rows from `begin` to `end`.
    struct place {
        int group, begin, end, number;
    };
    FADE_FN place start() const { return settled({-1, 0, 0, first}); }
    FADE_FN bool has(const place& at) const { return at.group < groups.count; }
    FADE_FN place behind(place at) const { return at.number += workgroups, settled(at); }
    FADE_FN grouped_work item(const place& at) const {
        const tile_index tile = swizzled_order(at.number, rows_of(at), tile_columns, swizzle_rows);
        const int row = at.begin + tile.row * tile_rows;
        return {at.group, row, min_of(at.end - row, tile_rows), tile.column};
    }

private:
    FADE_FN int rows_of(const place& at) const { return ceil_div(at.end - at.begin, tile_rows); }
    /// The group in which a tile lies that is counted from an earlier one's first. Ends that fall are taken
    /// as those before them, so that no row is in two groups.
    FADE_FN place settled(place at) const {
        for (int tiles; at.number >= (tiles = rows_of(at) * tile_columns);) {
            at.number -= tiles;
            if (++at.group >= groups.count) break;
            at.begin = at.end, at.end = max_of(at.end, groups.end(at.group));
        }
        return at;
    }
};

}  // namespace FADE_NAMESPACE::block

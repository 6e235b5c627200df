// Workgroups that stay, over tiles of groups whose rows lie one behind the other, as many as a table in the
// device's memory says.
#pragma once
#include <fade/block/schedule/grouped.hpp>

namespace FADE_NAMESPACE::block {

/// A tile of a cluster: its workgroups have neighbouring rows of the same columns, or the same rows.
struct clustered_work : grouped_work {
    bool same_rows;
};

/// Each cluster takes every so many-th tile, counted over all groups: a group's tiles follow one another in
/// the order of a grid. Only tiles that have rows are counted, so that all clusters have as many: each reads
/// the table once from its begin to its end, beside its tiles. What rows of tiles are left over where the
/// cluster's workgroups take one each, they share along the columns, of which the last may lie beyond the
/// output.
template <int Cluster>
struct persistent_groups {
    row_groups groups;
    int tile_rows;                   ///< rows of a tile
    int tile_columns, swizzle_rows;  ///< counted in tiles
    int first, clusters, rank;

    /// Of `workgroups`, as many as were launched.
    template <class Block>
    FADE_FN persistent_groups(const Block& block, const row_groups& of, int rows_of_tile,
                              const tile_walk& walk, int workgroups)
        : groups(of), tile_rows(rows_of_tile), tile_columns(walk.tile_columns),
          swizzle_rows(ceil_div(walk.swizzle_rows, Cluster)), first(int(unsigned(block.id_x()) / Cluster)),
          clusters(int(unsigned(workgroups) / Cluster)), rank(int(unsigned(block.id_x()) % Cluster)) {}

    /// Tile `number` of a group that has the rows from `begin` to `end`.
    struct place {
        int group, begin, end, number;
    };
    FADE_FN place start() const { return settled({-1, 0, 0, first}); }
    FADE_FN bool has(const place& at) const { return at.group < groups.count; }
    FADE_FN place behind(place at) const { return at.number += clusters, settled(at); }
    FADE_FN clustered_work item(const place& at) const {
        const int all = tiles_in(at) / Cluster, left = at.number - all * tile_columns;
        if (left < 0) {
            const tile_index tile = swizzled_order(at.number, all, tile_columns, swizzle_rows);
            return work(at, tile.row * Cluster + rank, tile.column, false);
        }
        return work(at, all * Cluster + left / shared_columns(), left % shared_columns() * Cluster + rank,
                    true);
    }

private:
    FADE_FN clustered_work work(const place& at, int row, int column, bool same_rows) const {
        const int begin = at.begin + row * tile_rows;
        return {{at.group, begin, min_of(at.end - begin, tile_rows), column}, same_rows};
    }
    FADE_FN int tiles_in(const place& at) const { return ceil_div(at.end - at.begin, tile_rows); }
    FADE_FN int shared_columns() const { return ceil_div(tile_columns, Cluster); }
    FADE_FN int count(const place& at) const {
        const int rows = tiles_in(at);
        return rows / Cluster * tile_columns + rows % Cluster * shared_columns();
    }
    /// The group in which a tile lies that is counted from an earlier one's first. Ends that fall are taken
    /// as those before them, so that no row is in two groups.
    FADE_FN place settled(place at) const {
        for (int tiles; at.number >= (tiles = count(at));) {
            at.number -= tiles;
            if (++at.group >= groups.count) break;
            at.begin = at.end, at.end = max_of(at.end, groups.end(at.group));
        }
        return at;
    }
};

}  // namespace FADE_NAMESPACE::block

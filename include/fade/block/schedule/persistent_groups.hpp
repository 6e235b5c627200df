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
/// the order of a grid. Only tiles that have rows are counted, and two where half of a tile has none are one,
/// so that all clusters have as much to do: each reads the table once from its begin to its end, beside its
/// tiles. A row of tiles that is left over where both workgroups of a cluster take one, they share along the
/// columns, of which the last may lie beyond the output.
template <int Cluster>
struct persistent_groups {
    static_assert(Cluster <= 2, "one row of tiles is left over at most");
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

    /// Tile `number` of a group that has the rows from `begin` to `end`, or the `half` of one.
    struct place {
        int group, begin, end, number, half = 0;
    };
    FADE_FN place start() const { return settled({-1, 0, 0, first}); }
    FADE_FN bool has(const place& at) const { return at.group < groups.count; }
    FADE_FN place behind(place at) const {
        const tile_count all = count(at);
        if (at.half == 0 && at.number >= all.shared && 2 * (at.number - all.shared) + 1 < all.halves)
            return at.half = 1, at;
        return at.half = 0, at.number += clusters, settled(at);
    }
    FADE_FN clustered_work item(const place& at) const {
        const tile_count all = count(at);
        if (at.number < all.shared) {
            const tile_index tile = swizzled_order(at.number, all.rows, tile_columns, swizzle_rows);
            return work(at, tile.row * Cluster + rank, tile.column, false);
        }
        const int left = at.number - all.shared, number = all.halves > 0 ? 2 * left + at.half : left;
        return work(at, all.rows * Cluster, number * Cluster + rank, true);
    }

private:
    /// Of a group: rows of tiles of all workgroups of a cluster, the tiles of those, all tiles, and how many
    /// of the row that is left over are halves.
    struct tile_count {
        int rows, shared, all, halves;
    };
    FADE_FN tile_count count(const place& at) const {
        const int tiles = ceil_div(at.end - at.begin, tile_rows), rows = tiles / Cluster,
                  shared = rows * tile_columns;
        if (tiles % Cluster == 0) return {rows, shared, shared, 0};
        const int left = ceil_div(tile_columns, Cluster), last = at.end - at.begin - (tiles - 1) * tile_rows;
        if (2 * last > tile_rows) return {rows, shared, shared + left, 0};
        return {rows, shared, shared + ceil_div(left, 2), left};
    }
    FADE_FN clustered_work work(const place& at, int row, int column, bool same_rows) const {
        const int begin = at.begin + row * tile_rows;
        return {{at.group, begin, min_of(at.end - begin, tile_rows), column}, same_rows};
    }
    /// The group in which a tile lies that is counted from an earlier one's first. Ends that fall are taken
    /// as those before them, so that no row is in two groups.
    FADE_FN place settled(place at) const {
        for (int tiles; at.number >= (tiles = count(at).all);) {
            at.number -= tiles;
            if (++at.group >= groups.count) break;
            at.begin = at.end, at.end = max_of(at.end, groups.end(at.group));
        }
        return at;
    }
};

}  // namespace FADE_NAMESPACE::block

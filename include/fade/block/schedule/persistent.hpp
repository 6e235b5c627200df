// Workgroups that stay: each takes every so many-th tile of all layers, so that one begins while the results
// of the last are still being stored.
#pragma once
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// How many workgroups are launched: whole clusters, no more than there are tiles or compute units for.
constexpr int persistent_workgroups(index tile_rows, index tile_columns, index layers, int cluster,
                                    int compute_units, bool along_columns = false) {
    const index all = ceil_div<index>(tile_rows, along_columns ? 1 : cluster) *
                      ceil_div<index>(tile_columns, along_columns ? cluster : 1) * layers;
    return int(cluster * min_of<index>(all, max_of<index>(compute_units / cluster, 1)));
}

/// Shall tiles of a cluster be neighbours in a row, where fewer of them lie beyond the output? Large tiles
/// have more columns than rows, so that neighbours in a column bring less: a sixteenth of the tiles is left
/// to those.
constexpr bool pairs_along_columns(index tile_rows, index tile_columns, int cluster) {
    return 17 * ceil_div<index>(tile_columns, cluster) * tile_rows <
           16 * ceil_div<index>(tile_rows, cluster) * tile_columns;
}

/// The workgroups of a cluster take tiles of neighbouring rows, or columns; the last of them may lie beyond
/// the output.
template <int Cluster>
struct persistent_schedule {
    tile_walk walk;  ///< over such rows of tiles, or columns
    int layers, first, clusters, rank;
    bool along_columns;

    /// Of `workgroups`, as many as were launched.
    template <class Block>
    FADE_FN persistent_schedule(const Block& block, const tile_walk& tiles, int all_layers, int workgroups,
                                bool neighbours_in_row = false)
        : walk(tiles), layers(all_layers), first(int(unsigned(block.id_x()) / Cluster)),
          clusters(int(unsigned(workgroups) / Cluster)), rank(int(unsigned(block.id_x()) % Cluster)),
          along_columns(Cluster > 1 && neighbours_in_row) {
        if (along_columns)
            walk.tile_columns = ceil_div(walk.tile_columns, Cluster);
        else {
            walk.tile_rows = ceil_div(walk.tile_rows, Cluster);
            walk.swizzle_rows = ceil_div(walk.swizzle_rows, Cluster);
        }
    }

    FADE_FN work_item item(int number) const {
        const tile_index at = walk.at(int(unsigned(number) % unsigned(walk.count())));
        const tile_index own = along_columns ? tile_index{at.row, at.column * Cluster + rank}
                                             : tile_index{at.row * Cluster + rank, at.column};
        return {own, int(unsigned(number) / unsigned(walk.count()))};
    }
    FADE_FN int start() const { return first; }
    FADE_FN bool has(int number) const { return number < walk.count() * layers; }
    FADE_FN int behind(int number) const { return number + clusters; }
};

}  // namespace FADE_NAMESPACE::block

// Workgroups that stay: each takes every so many-th tile of all layers, so that one begins while the results
// of the last are still being stored.
#pragma once
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// How many workgroups are launched: whole clusters, no more than there are tiles or compute units for.
constexpr int persistent_workgroups(index tile_rows, index tile_columns, index layers, int cluster,
                                    int compute_units) {
    const index all = ceil_div<index>(tile_rows, cluster) * tile_columns * layers;
    return int(cluster * min_of<index>(all, max_of<index>(compute_units / cluster, 1)));
}

/// The workgroups of a cluster take tiles of neighbouring rows; the last of them may lie beyond the output.
template <int Cluster>
struct persistent_schedule {
    tile_walk walk;  ///< over such rows of tiles
    int layers, first, clusters, rank;

    /// Of `workgroups`, as many as were launched.
    template <class Block>
    FADE_FN persistent_schedule(const Block& block, const tile_walk& tiles, int all_layers, int workgroups)
        : walk(tiles), layers(all_layers), first(int(unsigned(block.id_x()) / Cluster)),
          clusters(int(unsigned(workgroups) / Cluster)), rank(int(unsigned(block.id_x()) % Cluster)) {
        walk.tile_rows = ceil_div(walk.tile_rows, Cluster);
        walk.swizzle_rows = ceil_div(walk.swizzle_rows, Cluster);
    }

    FADE_FN work_item item(int number) const {
        const tile_index at = walk.at(int(unsigned(number) % unsigned(walk.count())));
        return {{at.row * Cluster + rank, at.column}, int(unsigned(number) / unsigned(walk.count()))};
    }
    FADE_FN int start() const { return first; }
    FADE_FN bool has(int number) const { return number < walk.count() * layers; }
    FADE_FN int behind(int number) const { return number + clusters; }
};

}  // namespace FADE_NAMESPACE::block

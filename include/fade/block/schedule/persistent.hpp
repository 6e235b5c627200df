// Workgroups that stay: each takes every so many-th tile of all layers, so that one begins while the results
// of the last are still being stored.
#pragma once
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// Compute units that clusters of a size find room on: those of four and more on ten elevenths of an H200
/// (`cudaOccupancyMaxActiveClusters`).
constexpr int units_for_clusters(int compute_units, int cluster) {
    return cluster >= 4 ? compute_units * 10 / 11 : compute_units;
}

/// How many workgroups are launched: whole clusters, no more than there are tiles or compute units for.
constexpr int persistent_workgroups(index tile_rows, index tile_columns, index layers, int cluster,
                                    int compute_units, int cluster_columns = 1) {
    const index all = ceil_div<index>(tile_rows, cluster / cluster_columns) *
                      ceil_div<index>(tile_columns, cluster_columns) * layers;
    return int(cluster *
               min_of<index>(all, max_of<index>(units_for_clusters(compute_units, cluster) / cluster, 1)));
}

/// Shall tiles of a cluster be neighbours in a row, where fewer of them lie beyond the output? Large tiles
/// have more columns than rows, so that neighbours in a column bring less: a sixteenth of the tiles is left
/// to those.
constexpr bool pairs_along_columns(index tile_rows, index tile_columns, int cluster) {
    return 17 * ceil_div<index>(tile_columns, cluster) * tile_rows <
           16 * ceil_div<index>(tile_rows, cluster) * tile_columns;
}

/// How many tiles of a row a cluster makes: half of a cluster's of four or more, so that it shares A and B,
/// where not a sixteenth of the tiles is spared by another shape.
constexpr int cluster_columns(index tile_rows, index tile_columns, int cluster) {
    if (cluster < 4 || cluster % 2 != 0)
        return pairs_along_columns(tile_rows, tile_columns, cluster) ? cluster : 1;
    const auto tiles = [&](int columns) {
        return ceil_div<index>(tile_rows, cluster / columns) * ceil_div<index>(tile_columns, columns);
    };
    int best = 2;
    for (const int columns : {1, cluster})
        if (17 * tiles(columns) < 16 * tiles(best)) best = columns;
    return best;
}

/// The workgroups of a cluster take tiles of neighbouring rows, or columns; the last of them may lie beyond
/// the output. Tiles are walked over as on one compute die.
template <int Cluster>
struct persistent_schedule {
    tile_walk walk;  ///< over such rows of tiles, or columns
    int layers, first, clusters, rank;
    int columns, rows;  ///< of tiles that a cluster makes

    /// Of `workgroups`, as many as were launched.
    template <class Block>
    FADE_FN persistent_schedule(const Block& block, const tile_walk& tiles, int all_layers, int workgroups,
                                int cluster_columns = 1)
        : walk(tiles), layers(all_layers), first(int(unsigned(block.id_x()) / Cluster)),
          clusters(int(unsigned(workgroups) / Cluster)), rank(int(unsigned(block.id_x()) % Cluster)),
          columns(Cluster > 1 ? cluster_columns : 1), rows(columns == 1         ? Cluster
                                                           : columns == Cluster ? 1
                                                                                : Cluster / 2) {
        count_clusters();
    }

    /// The tiles of a rank, whichever cluster's.
    FADE_FN persistent_schedule(const tile_walk& tiles, int all_layers, int workgroups, int cluster_columns,
                                int of_rank)
        : walk(tiles), layers(all_layers), first(0), clusters(int(unsigned(workgroups) / Cluster)),
          rank(of_rank), columns(Cluster > 1 ? cluster_columns : 1),
          rows(columns == 1         ? Cluster
               : columns == Cluster ? 1
                                    : Cluster / 2) {
        count_clusters();
    }

    FADE_FN work_item item(int number) const {
        const auto count = unsigned(walk.count());
        const unsigned layer = unsigned(number) < count ? 0 : unsigned(number) / count;
        const tile_index at = walk.at_on_one_die(int(unsigned(number) - layer * count));
        const int row = columns == 1 ? rank : columns == Cluster ? 0 : rank / 2;
        return {{at.row * rows + row, at.column * columns + rank - row * columns}, int(layer)};
    }
    FADE_FN int start() const { return first; }
    FADE_FN bool has(int number) const { return number < walk.count() * layers; }
    FADE_FN int behind(int number) const { return number + clusters; }

private:
    FADE_FN void count_clusters() {
        walk.tile_columns = parts_of(walk.tile_columns, columns);
        walk.tile_rows = parts_of(walk.tile_rows, rows);
        walk.swizzle_rows = parts_of(walk.swizzle_rows, rows);
    }
    /// Tiles by those of a cluster, 1, 2, half or all: by a number that the compiler does not know it would
    /// divide for longer than a workgroup should begin with.
    FADE_FN static int parts_of(int tiles, int of_cluster) {
        return of_cluster == 1         ? tiles
               : of_cluster == Cluster ? ceil_div(tiles, Cluster)
               : of_cluster == 2       ? ceil_div(tiles, 2)
                                       : ceil_div(tiles, max_of(Cluster / 2, 1));
    }
};

}  // namespace FADE_NAMESPACE::block

// Workgroups of a cluster that make one tile together: each sums a slice of its k.
#pragma once
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// One tile of all layers a cluster of Ranks workgroups.
template <int Ranks>
struct cluster_schedule {
    tile_walk walk;
    int first, rank;  ///< the cluster's number, and this workgroup's in it

    template <class Block>
    FADE_FN cluster_schedule(const Block& block, const tile_walk& tiles)
        : walk(tiles), first(int(unsigned(block.id_x()) / Ranks)), rank(int(unsigned(block.id_x()) % Ranks)) {
    }

    FADE_FN work_item item(int number) const {
        const unsigned count = unsigned(walk.count()), layer = unsigned(number) / count;
        return {walk.at(int(unsigned(number) - layer * count)), int(layer)};
    }
    FADE_FN int start() const { return first; }
    FADE_FN bool has(int number) const { return number == first; }
    FADE_FN int behind(int number) const { return number + 1; }
};

}  // namespace FADE_NAMESPACE::block

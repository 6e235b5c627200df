// One tile a workgroup.
#pragma once
#include <fade/block/schedule/one_work.hpp>
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

/// Its number is the workgroup's, and its layer the grid's.
struct tile_schedule : one_work<work_item> {
    template <class Block>
    FADE_FN tile_schedule(const Block& block, const tile_walk& walk)
        : one_work{{walk.at(block.id_x()), block.id_z()}} {}
};

/// A tile of a line: y of the grid says which, of layer z.
struct line_work {
    int tile, line, layer;
};
struct line_schedule : one_work<line_work> {
    template <class Block>
    FADE_FN explicit line_schedule(const Block& block)
        : one_work{{block.id_x(), block.id_y(), block.id_z()}} {}
};

}  // namespace FADE_NAMESPACE::block

// A run of items a workgroup, for what has no tiles.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/block/schedule/one_work.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::block {

/// Items from `first` to before `end`, of which line and layer of the grid.
struct run_work {
    index first, end;
    int line, layer;
    FADE_FN item_range<index> items() const { return {first, end}; }
};

/// Of `count` items, `run` a workgroup.
struct run_schedule : one_work<run_work> {
    template <class Block>
    FADE_FN run_schedule(const Block& block, index count, int run)
        : run_schedule(index(block.id_x()) * run, count, run, block.id_y(), block.id_z()) {}
    FADE_FN run_schedule(index first, index count, int run, int line, int layer)
        : one_work{{first, min_of<index>(first + run, count), line, layer}} {}
};

}  // namespace FADE_NAMESPACE::block

// One tile a workgroup: its number is the workgroup's, and its layer the grid's.
#pragma once
#include <fade/block/schedule/work.hpp>

namespace FADE_NAMESPACE::block {

struct tile_schedule {
    work_item item;

    template <class Block>
    FADE_FN tile_schedule(const Block& block, const tile_walk& walk)
        : item{walk.at(block.id_x()), block.id_z()} {}

    /// Of one item: that the loop ends behind it is a constant, so compilers see no loop.
    struct iterator {
        const work_item& item;
        bool done;
        FADE_FN const work_item& operator*() const { return item; }
        FADE_FN iterator& operator++() { return done = true, *this; }
        FADE_FN bool operator!=(const iterator& end) const { return done != end.done; }
    };
    FADE_FN iterator begin() const { return {item, false}; }
    FADE_FN iterator end() const { return {item, true}; }
};

}  // namespace FADE_NAMESPACE::block

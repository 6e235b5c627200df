// The gradient of a convolution's bias where channels come first: a workgroup adds up all planes of a filter.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/block/source/channel_planes.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In, class Out>
struct plane_totals_arguments {
    const In* dy;
    Out* db;
    block::channel_planes planes;
};

template <class Block, class In, class Out>
FADE_FN void plane_totals(Block& block, const plane_totals_arguments<In, Out>& a) {
    const int filter = block.id_x();
    const float total =
        block::total_of(block, block::item_range{index(0), a.planes.count()}, [&](index item) FADE_LAMBDA {
            return convert<float>(a.dy[a.planes.offset(filter, item)]);
        });
    block::each_of(block, block::item_range{0, 1},
                   [&](int) FADE_LAMBDA { a.db[filter] = convert<Out>(total); });
}

}  // namespace FADE_NAMESPACE::kernel

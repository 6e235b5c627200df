// Sums over all items of a workgroup's range.
#pragma once
#include <fade/block/ranges.hpp>

namespace FADE_NAMESPACE::block {

/// The sum of value(item) over the items of a range, added in a fixed order; all lanes have it. Wants
/// lane_reduction_bytes of shared memory; all waves call it.
template <class Block, class Range, class F>
FADE_FN float total_of(Block& block, const Range& range, F value) {
    per_lane<Block, float> sums;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        float sum = 0;
        range.each(block, p, [&](auto... item) FADE_LAMBDA { sum += value(item...); });
        sums[p] = sum;
    });
    reduce_lanes(block, sums, [](float a, float b) { return a + b; });
    float out = 0;
    block.each_lane([&](lane_coord p)
                        FADE_LAMBDA { out = block.template load_shared<vec<float, 1>>(p, 0)[0]; });
    block.sync();  // before the memory is used again
    return out;
}

}  // namespace FADE_NAMESPACE::block

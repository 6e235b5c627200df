// Statistics of channels that come first: a workgroup reads all planes of its channel.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/block/source/channel_planes.hpp>
#include <fade/kernel/batch_norm/rows.hpp>

namespace FADE_NAMESPACE::kernel {

template <class T>
struct plane_statistics_arguments {
    const T* x;
    block::channel_planes planes;
    channel_statistics to;
};

/// The mean first, since the difference of two large sums would lose a small variance.
template <class Block, class T>
FADE_FN void plane_statistics(Block& block, const plane_statistics_arguments<T>& a) {
    const int channel = block.id_x();
    const block::item_range items{index(0), a.planes.count()};
    const auto x = [&](index item)
                       FADE_LAMBDA { return convert<float>(a.x[a.planes.offset(channel, item)]); };
    const float mean = block::total_of(block, items, x) / a.to.count;
    const float squares = block::total_of(
        block, items, [&](index item) FADE_LAMBDA { return (x(item) - mean) * (x(item) - mean); });
    block::each_of(block, block::item_range{0, 1}, [&](int) FADE_LAMBDA {
        a.to.mean[channel] = mean;
        a.to.finish(channel, squares);
    });
}

template <class T>
struct plane_sums_arguments {
    const T *x, *dy;
    block::channel_planes planes;
    const float *mean, *inverse_root;
    float *dweight, *dbias;
};

template <class Block, class T>
FADE_FN void plane_sums(Block& block, const plane_sums_arguments<T>& a) {
    const int channel = block.id_x();
    const block::item_range items{index(0), a.planes.count()};
    const float middle = a.mean[channel], inverse = a.inverse_root[channel];
    const float bias = block::total_of(block, items, [&](index item) FADE_LAMBDA {
        return convert<float>(a.dy[a.planes.offset(channel, item)]);
    });
    const float weight = block::total_of(block, items, [&](index item) FADE_LAMBDA {
        const index at = a.planes.offset(channel, item);
        return convert<float>(a.dy[at]) * (convert<float>(a.x[at]) - middle) * inverse;
    });
    block::each_of(block, block::item_range{0, 1},
                   [&](int) FADE_LAMBDA { a.dweight[channel] = weight, a.dbias[channel] = bias; });
}

}  // namespace FADE_NAMESPACE::kernel

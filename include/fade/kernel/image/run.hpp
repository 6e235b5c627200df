// Runs of channels in memory, as f32 in registers.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/kernel/image/layout.hpp>

namespace FADE_NAMESPACE::kernel {

template <int Run, class T>
FADE_FN vec<float, Run> load_run(const T* from) {
    const auto stored = *reinterpret_cast<const vec<T, Run>*>(from);
    vec<float, Run> out;
    unrolled<Run>([&](int e) FADE_LAMBDA { out[e] = convert<float>(stored[e]); });
    return out;
}

template <int Run, class T>
FADE_FN void store_run(T* to, const vec<float, Run>& values) {
    vec<T, Run> stored;
    unrolled<Run>([&](int e) FADE_LAMBDA { stored[e] = convert<T>(values[e]); });
    *reinterpret_cast<vec<T, Run>*>(to) = stored;
}

/// f(place) for the items of a workgroup.
template <class Block, class F>
FADE_FN void each_item(Block& block, const pixel_items& items, F f) {
    const index first = index(block.id_x()) * image_items,
                end = min_of<index>(first + image_items, items.count());
    block::each_of(block, block::item_range{first, end},
                   [&](index item) FADE_LAMBDA { f(items.place(std::uint32_t(item))); });
}

}  // namespace FADE_NAMESPACE::kernel

// What the experts made of a token, added up with their weights in the order of its choices.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/kernel/moe/problem.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In, class Out>
struct moe_combine_arguments {
    moe_combine_operands<In, Out> memory;
    index tokens, rows, columns, x_stride, y_stride;
    int top_k;
};

/// Elements that an item of a workgroup's range makes, and items of a workgroup.
inline constexpr int moe_combine_items = 256;

/// `Run` neighbouring elements of y, which lie together in x, too.
template <int Run, class In, class Out>
FADE_FN void add_choices(const moe_combine_arguments<In, Out>& a, index token, index column) {
    float sum[Run] = {};
    FADE_ROLLED
    for (int j = 0; j < a.top_k; ++j) {
        const index choice = token * a.top_k + j, slot = a.memory.slots[choice];
        if (slot < 0 || slot >= a.rows) continue;
        const float weight = a.memory.weights ? a.memory.weights[choice] : 1.0f;
        const auto x = *reinterpret_cast<const vec<In, Run>*>(a.memory.x + slot * a.x_stride + column);
        unrolled<Run>([&](int e) FADE_LAMBDA { sum[e] += weight * convert<float>(x[e]); });
    }
    vec<Out, Run> y;
    unrolled<Run>([&](int e) FADE_LAMBDA { y[e] = convert<Out>(sum[e]); });
    *reinterpret_cast<vec<Out, Run>*>(a.memory.y + token * a.y_stride + column) = y;
}

template <int Run, class Block, class In, class Out>
FADE_FN void moe_combine_body(Block& block, const moe_combine_arguments<In, Out>& a) {
    const index runs = a.columns / Run, first = index(block.id_x()) * moe_combine_items,
                end = min_of<index>(first + moe_combine_items, a.tokens * runs);
    block::each_of(block, block::item_range{first, end},
                   [&](index item) FADE_LAMBDA { add_choices<Run>(a, item / runs, item % runs * Run); });
}

}  // namespace FADE_NAMESPACE::kernel

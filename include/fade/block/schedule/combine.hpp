// Adds up what the workgroups that shared a sum have left: the second launch of every split, always in the
// same order.
//
// The parts of one item are an object: `count` of them are still to be added, `add<AtOnce>(block, sum)` adds
// the next ones, whose loads are all under way at once, and nothing beyond the last; part(group, groups)
// leaves every so many-th.
#pragma once
#include <fade/block/lane_groups.hpp>
#include <fade/block/schedule/run.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::block {

/// Items that one workgroup combines. Sums of many parts are few and wait for memory, so that lanes have one
/// each.
FADE_FN constexpr int combine_run(int parts) { return parts < 8 ? 1024 : 256; }

/// A launch for so many items, of so many parts each, of so many layers.
inline grid_shape combine_grid(index items, int parts, index layers) {
    return {int(ceil_div<index>(items, combine_run(parts))), 1, int(layers)};
}

/// How many parts a lane loads at once: what few load leaves registers for more workgroups, and many should
/// not take turns. A CPU looks ahead by itself.
template <class Block>
inline constexpr int few_parts = Block::threads == 1 ? 1 : 4;

/// Of about `count` parts, two, four, eight, or Max at once.
template <class Sum, int Max, class Block, class Parts>
FADE_FN Sum sum_of_parts(Block& block, Parts parts, int count) {
    constexpr int few = few_parts<Block>, pair = min_of(2, few), some = 2 * few,
                  many = min_of(Max, few * few);
    Sum sum{};
    if (count <= pair)
        parts.template add<pair>(block, sum);
    else if (count <= few)
        parts.template add<few>(block, sum);
    else if (Max > some && count <= some)
        parts.template add<some>(block, sum);
    else
        FADE_ROLLED
    while (parts.count > 0) parts.template add<many>(block, sum);
    return sum;
}

/// One lane an item: store(item, sum of parts_of(item)), of which at most Max are loaded at once.
template <class Sum, int Max = 16, class Block, class Parts, class Store>
FADE_FN void combine_items(Block& block, const run_work& work, Parts parts_of, Store store) {
    each_of(block, work.items(), [&](index item) FADE_LAMBDA {
        const auto parts = parts_of(item);
        store(item, sum_of_parts<Sum, Max>(block, parts, parts.count));
    });
}

/// Of few items, no more than there are lanes. Where their parts are many, groups of lanes take those in
/// turn, and both(sum, sum) adds what the groups found. Wants shared_values<Block, Sum>::bytes of shared
/// memory.
template <class Sum, class Block, class Parts, class Both, class Store>
FADE_FN void combine_in_groups(Block& block, int items, int count, Parts parts_of, Both both, Store store) {
    const int groups = min_of(ceil_div(count, few_parts<Block>), Block::threads / items);
    fold_groups(
        block, {items, groups},
        [&](int item, int group) FADE_LAMBDA {
            return sum_of_parts<Sum, 8>(block, parts_of(item).part(group, groups), ceil_div(count, groups));
        },
        both, store);
}

}  // namespace FADE_NAMESPACE::block

// Does something hold in any lane of a workgroup, or of any number?
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Can a barrier count votes?
template <class Block>
concept votes_at_barriers = requires(Block& block) { block.vote(true); };

/// `holds(lane_coord)` is asked in each lane, and all lanes get the answer: by a barrier that counts, else
/// through four bytes a wave of shared memory at `base`. All waves call it; it synchronises, first before it
/// writes.
template <class Block, class Holds>
FADE_FN bool any_lane(Block& block, std::uint32_t base, Holds holds) {
    using word = vec<std::uint32_t, 1>;
    bool here = false, anywhere = false;
    block.each_lane([&](lane_coord p) { here |= holds(p); });
    if constexpr (votes_at_barriers<Block>) return block.vote(here);
    here = Block::any_lane(here);
    block.sync();
    block.each_lane([&](lane_coord p) {
        if (p.lane == 0) block.store_shared(p, base + std::uint32_t(p.wave) * 4, word{here});
    });
    block.sync();
    block.each_lane([&](lane_coord p) {
        for (int wave = 0; wave < Block::waves; ++wave)
            anywhere |= block.template load_shared<word>(p, base + std::uint32_t(wave) * 4)[0] != 0;
    });
    return Block::any_lane(anywhere);
}

/// Is some of numbers[first] to numbers[last] below 0, or `count` or more? Every wave looks at all of them, a
/// number a lane, so none waits for another.
template <class Block>
FADE_FN bool any_beyond(Block& block, const int* numbers, int first, int last, int count) {
    bool beyond = false;
    block.each_lane([&](lane_coord p) {
        std::uint32_t largest = 0;  // one number, since truths of a loop would take scalar registers
        FADE_ROLLED
        for (int i = first; i <= last; i += Block::wave_size)
            largest = max_of(largest, std::uint32_t(numbers[min_of(i + p.lane, last)]));
        beyond |= largest >= std::uint32_t(count);
    });
    return Block::any_lane(beyond);
}

}  // namespace FADE_NAMESPACE::block

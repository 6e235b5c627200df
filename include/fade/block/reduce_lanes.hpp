// A reduction of one value a lane over a workgroup.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory that reduce_lanes wants for so many lanes, from byte 0 on.
constexpr int lane_reduction_bytes(int lanes) { return lanes * int(sizeof(float)); }

/// Folds the values of all lanes by halves, in a fixed order; lane 0 of wave 0 holds the result. All waves
/// call it.
template <class Block, class Op>
FADE_FN void reduce_lanes(Block& block, per_lane<Block, float>& values, Op op) {
    static_assert((Block::threads & (Block::threads - 1)) == 0,
                  "lanes are folded by halves, so their number is a power of two");
    const auto lane_of = [](lane_coord p) { return p.wave * Block::wave_size + p.lane; };
    const auto put = [&](lane_coord p) {
        block.store_shared(p, std::uint32_t(lane_of(p)) * 4, vec<float, 1>{values[p]});
    };
    block.each_lane(put);
    block.sync();
    FADE_ROLLED
    for (int half = Block::threads / 2; half > 0; half /= 2) {
        block.each_lane([&](lane_coord p) {
            if (lane_of(p) >= half) return;
            values[p] =
                op(values[p],
                   block.template load_shared<vec<float, 1>>(p, std::uint32_t(lane_of(p) + half) * 4)[0]);
            put(p);
        });
        block.sync();
    }
}

}  // namespace FADE_NAMESPACE::block

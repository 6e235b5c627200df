// Where items with equal keys stand in order: one bucket of a counting sort.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory that sort_bucket wants for so many lanes, from byte 0 on.
constexpr int sort_bucket_bytes(int lanes) { return lanes * 2 * int(sizeof(int)); }

/// Of `count` items sorted by key, items of equal keys in their order: calls place(item, position) for those
/// whose key is `bucket`, and end(position behind the last) once. Each lane counts a run of neighbours, and
/// adds what the lanes before it counted. All waves call it.
template <class Block, class Key, class Place, class End>
FADE_FN void sort_bucket(Block& block, int count, int bucket, Key key, Place place, End end) {
    const int run = ceil_div(count, Block::threads);
    const auto lane_of = [](lane_coord p) { return p.wave * Block::wave_size + p.lane; };
    const auto each_of_run = [&](lane_coord p, auto f) FADE_LAMBDA {
        const int first = lane_of(p) * run, last = min_of(first + run, count);
        FADE_ROLLED
        for (int item = first; item < last; ++item) f(item);
    };
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        int lower = 0, equal = 0;
        each_of_run(p, [&](int item) FADE_LAMBDA {
            const int k = key(item);
            lower += k >= 0 && k < bucket, equal += k == bucket;
        });
        block.store_shared(p, std::uint32_t(lane_of(p)) * 8, vec<int, 2>{lower, equal});
    });
    block.sync();
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        int position = 0, all = 0;
        FADE_ROLLED
        for (int lane = 0; lane < Block::threads; ++lane) {
            const auto counted = block.template load_shared<vec<int, 2>>(p, std::uint32_t(lane) * 8);
            position += counted[0] + (lane < lane_of(p) ? +counted[1] : 0);
            all += counted[0] + counted[1];
        }
        each_of_run(p, [&](int item) FADE_LAMBDA {
            if (key(item) == bucket) place(item, position++);
        });
        if (lane_of(p) == 0) end(all);
    });
}

}  // namespace FADE_NAMESPACE::block

// Ranges of items that the lanes of a workgroup share, and what is done with each item. A range has
// `each(block, lane_coord, f)`, which calls f for the items of one lane.
#pragma once
#include <fade/block/reduce_lanes.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Does one lane take all items of a workgroup, so that what neighbours have in common is found once?
template <class Block>
inline constexpr bool one_lane = Block::threads == 1;

/// Items from `first` to before `end`; lanes take them in turn. f(item).
template <class Index>
struct item_range {
    Index first, end;
    template <class Block, class F>
    FADE_FN void each(const Block&, lane_coord p, F f) const {
        FADE_ROLLED
        for (Index at = first + p.wave * Block::wave_size + p.lane; at < end; at += Block::threads) f(at);
    }
};
template <class Index>
item_range(Index, Index) -> item_range<Index>;

/// `count` items, one for each lane of a row of workgroups. f(item).
struct grid_range {
    int count;
    template <class Block, class F>
    FADE_FN void each(const Block& block, lane_coord p, F f) const {
        const int at = (block.id_x() * Block::waves + p.wave) * Block::wave_size + p.lane;
        if (at < count) f(at);
    }
};

/// The elements of [outer, inner] rows. The waves of `shares` workgroups, of which this is number `share`,
/// take rows in turn; the lanes of a wave take the columns of a row. f(outer, inner, column).
struct shared_rows {
    int outer, inner, columns, share, shares;
    /// The same rows, of which f sees the first columns alone.
    FADE_FN shared_rows first_columns() const { return {outer, inner, 1, share, shares}; }
    template <class Block, class F>
    FADE_FN void each(const Block&, lane_coord p, F f) const {
        const int first = share * Block::waves + p.wave, step = shares * Block::waves;
        const int outer_step = step / inner, inner_step = step % inner;  // divisions stand before the loop
        int row = first % inner;
        FADE_ROLLED
        for (int at = first / inner; at < outer; at += outer_step) {
            for (int e = p.lane; e < columns; e += Block::wave_size) f(at, row, e);
            row += inner_step;
            if (row >= inner) row -= inner, ++at;
        }
    }
};

/// Calls f for each item of a range.
template <class Block, class Range, class F>
FADE_FN void each_of(Block& block, const Range& range, F f) {
    block.each_lane([&](lane_coord p) FADE_LAMBDA { range.each(block, p, f); });
}

/// Calls done(largest of 0 and value(item) over the items of a range), in one lane. Wants
/// lane_reduction_bytes of shared memory; all waves call it.
template <class Block, class Range, class F, class Done>
FADE_FN void with_max(Block& block, const Range& range, F value, Done done) {
    per_lane<Block, float> values;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        float largest = 0;
        range.each(block, p, [&](auto... item) FADE_LAMBDA { largest = max_of(largest, value(item...)); });
        values[p] = largest;
    });
    reduce_lanes(block, values, [](float a, float b) { return max_of(a, b); });
    block.each_lane([&](lane_coord p) {
        if (p.wave == 0 && p.lane == 0) done(values[p]);
    });
}

/// The sum of value(item) over the items of a range, added in a fixed order; all lanes have it. Wants
/// lane_reduction_bytes of shared memory; all waves call it.
template <class Block, class Range, class F>
FADE_FN float total_of(Block& block, const Range& range, F value) {
    per_lane<Block, float> sums;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        // One thread adds all of them in f64.
        std::conditional_t<Block::threads == 1, double, float> sum = 0;
        range.each(block, p, [&](auto... item) FADE_LAMBDA { sum += value(item...); });
        sums[p] = float(sum);
    });
    reduce_lanes(block, sums, [](float a, float b) { return a + b; });
    float out = 0;
    block.each_lane([&](lane_coord p)
                        FADE_LAMBDA { out = block.template load_shared<vec<float, 1>>(p, 0)[0]; });
    block.sync();  // before the memory is used again
    return out;
}

}  // namespace FADE_NAMESPACE::block

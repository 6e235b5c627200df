// What workgroups that shared keys have found, and its combination: averages weighted by their sums, always in the same order.
#pragma once
#include <fade/arch/traits.hpp>
#include <fade/kernel/attention/store.hpp>

namespace fade::kernel {

/// Row 0 of the heads that share tiles, of which `head` is the first, as one split left it.
template <class Args>
FADE_FN index split_row(const Args& args, int batch, int head, int split) { return ((index(batch) * args.heads + head) * args.splits.count + index(split) * args.tile_heads) * args.seq_q; }

template <class Traits, class Block, class Walk, class Args, class Rows>
FADE_FN void store_split(Block& block, Walk& walk, const Args& args, const query_tile& tile, const Rows& rows, int split) {
    const index first = split_row(args, tile.batch, tile.head, split);
    store_averages<Traits>(block, walk, tile, rows, output_rows<float>{args.splits.outputs + first * args.output_dim, args.output_dim, args.output_dim}, [&](int row, const row_owner&, float logarithm) { args.splits.logarithms[first + row] = logarithm; });
}

/// The outputs of some splits, each times its weight, and their weight: both over two to the power of `base`.
struct split_sum {
    float base = minus_infinity, weight = 0, output = 0;
};

/// Adds the next splits, whose loads are all under way at once. A split that saw no key has a logarithm of minus infinity, and one beyond the last counts as such.
template <int AtOnce, class Block>
FADE_FN void add_splits(split_sum& sum, const float* logarithms, const float* outputs, int count, index next_logarithm, index next_output) {
    float logarithm[AtOnce], output[AtOnce], largest = sum.base;
    FADE_UNROLL
    for (int s = 0; s < AtOnce; ++s) {
        const int there = least(s, count - 1);   // no branch stands between loads
        logarithm[s] = logarithms[there * next_logarithm], output[s] = outputs[there * next_output];
        if (s > there) logarithm[s] = minus_infinity, output[s] = 0;
    }
    FADE_UNROLL
    for (int s = 0; s < AtOnce; ++s) largest = Block::maximum(largest, logarithm[s]);
    const float finite = largest == minus_infinity ? 0.0f : largest, shrink = Block::exp2(sum.base - finite);
    sum = {largest, sum.weight * shrink, sum.output * shrink};
    FADE_UNROLL
    for (int s = 0; s < AtOnce; ++s) {
        const float weight = Block::exp2(logarithm[s] - finite);
        sum.weight += weight, sum.output += weight * output[s];
    }
}

/// One query of one head a workgroup, one column a lane.
template <class Block, class Args>
FADE_FN void combine_splits(Block& block, const Args& args) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    constexpr int at_once = Block::arch::traits.family == arch::family::nvidia ? 16 : 8;   // addresses of more fill the scalar registers of AMD GPUs
    const int query = block.id_x(), head = block.id_y(), batch = block.id_z();
    const sequence_extent e = extent_of(args, batch);
    if (query >= e.query_count) return;
    const int in_group = head % args.tile_heads;
    const index first = split_row(args, batch, head - in_group, 0) + index(query) * args.tile_heads + in_group, next_split = index(args.seq_q) * args.tile_heads;
    out* to = args.o + batch * args.o_strides.batch + head * args.o_strides.head + index(e.output_begin + query) * args.o_strides.position;
    block.each_lane([&](place p) {
        const int lane = p.wave * Block::wave_size + p.lane;
        for (int column = lane; column < args.output_dim; column += Block::threads) {
            split_sum sum;
            FADE_ROLLED
            for (int s = 0; s < args.splits.count; s += at_once) {
                const index row = first + s * next_split;
                add_splits<at_once, Block>(sum, args.splits.logarithms + row, args.splits.outputs + row * args.output_dim + column, args.splits.count - s, next_split, next_split * args.output_dim);
            }
            to[column] = convert<out>(sum.weight == 0 ? 0.0f : sum.output / sum.weight);
            if (column == 0 && args.lse) args.lse[(index(batch) * args.heads + head) * args.seq_q + query] = (sum.base + Block::log2(sum.weight)) * ln_2;
        }
    });
}

}  // namespace fade::kernel

// What workgroups that shared keys have found, and its combination: averages weighted by their sums, always in the same order.
#pragma once
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

/// One query of one head a workgroup, one column a lane.
template <class Block, class Args>
FADE_FN void combine_splits(Block& block, const Args& args) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    const int query = block.id_x(), head = block.id_y(), batch = block.id_z();
    const sequence_extent e = extent_of(args, batch);
    if (query >= e.query_count) return;
    const int in_group = head % args.tile_heads;
    const index first = split_row(args, batch, head - in_group, 0) + index(query) * args.tile_heads + in_group, next_split = index(args.seq_q) * args.tile_heads;
    const float* logarithms = args.splits.logarithms + first;
    float largest = minus_infinity, sum = 0;
    for (int s = 0; s < args.splits.count; ++s) largest = Block::maximum(largest, logarithms[s * next_split]);
    const float base = largest == minus_infinity ? 0.0f : largest;
    for (int s = 0; s < args.splits.count; ++s) sum += Block::exp2(logarithms[s * next_split] - base);
    const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
    out* to = args.o + batch * args.o_strides.batch + head * args.o_strides.head + index(e.output_begin + query) * args.o_strides.position;
    block.each_lane([&](place p) {
        const int lane = p.wave * Block::wave_size + p.lane;
        for (int column = lane; column < args.output_dim; column += Block::threads) {
            float o = 0;
            for (int s = 0; s < args.splits.count; ++s) {
                const index row = first + s * next_split;
                o += Block::exp2(args.splits.logarithms[row] - base) * args.splits.outputs[row * args.output_dim + column];
            }
            to[column] = convert<out>(o * inverse);
        }
        if (lane == 0 && args.lse) args.lse[(index(batch) * args.heads + head) * args.seq_q + query] = (base + Block::log2(sum)) * ln_2;
    });
}

}  // namespace fade::kernel

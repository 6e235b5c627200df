// What workgroups that shared keys have found, and how that adds up: averages weighted by their sums.
#pragma once
#include <fade/arch/traits.hpp>
#include <fade/block/schedule/combine.hpp>
#include <fade/block/schedule/tile.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/attention/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// Row 0 of the heads that share tiles, of which `head` is the first, as one split left it.
template <class Args>
FADE_FN index split_row(const Args& args, int batch, int head, int split) {
    return ((index(batch) * args.heads + head) * args.splits.count + index(split) * args.tile_heads) *
           args.seq_q;
}

template <class Traits, class Block, class Walk, class Args, class Rows>
FADE_FN void store_split(Block& block, Walk& walk, const Args& args, const query_tile& tile, const Rows& rows,
                         int split) {
    const index first = split_row(args, tile.batch, tile.head, split);
    block::store_averages<Traits>(
        block, walk, stored_tile_of(tile), rows,
        output_rows<float>{args.splits.outputs + first * args.output_dim, args.output_dim, args.output_dim},
        [&](int row, const row_owner&, float maximum, float sum) {
            args.splits.maxima[first + row] = maximum, args.splits.sums[first + row] = sum;
        });
}

/// The outputs of some splits, each times its weight, and their weight: both over e to the power of
/// `base`. A lane has Run columns.
template <int Run>
struct split_sum {
    float base = hidden_score, weight = 0;
    float output[Run] = {};

    /// The same over another base, where it is so many times as large.
    FADE_FN split_sum over(float other_base, float times) const {
        split_sum s{other_base};
        s.add(times, weight, output);
        return s;
    }
    template <class Output>
    FADE_FN void add(float times, float other_weight, const Output& other_output) {
        weight += times * other_weight;
        unrolled<Run>([&](int r) FADE_LAMBDA { output[r] += times * other_output[r]; });
    }
};

template <class Block, int Run>
FADE_FN split_sum<Run> both(const split_sum<Run>& a, const split_sum<Run>& b) {
    const float base = Block::maximum(a.base, b.base);
    split_sum<Run> sum = a.over(base, Block::exp2((a.base - base) * log2_e));
    sum.add(Block::exp2((b.base - base) * log2_e), b.weight, b.output);
    return sum;
}

/// What splits of one row left: `count` of them, so far apart.
struct split_results {
    const float *maxima, *sums, *outputs;
    index next_sum, next_output;
    int count;

    /// Those of one of `groups` groups of lanes, which take them in turn.
    FADE_FN split_results part(int group, int groups) const {
        return {maxima + group * next_sum, sums + group * next_sum, outputs + group * next_output,
                next_sum * groups,         next_output * groups,    ceil_div(count - group, groups)};
    }

    /// A split that saw no key has a sum of zero, and one beyond the last counts as such.
    template <int AtOnce, class Block, int Run>
    FADE_FN void add(Block& block, split_sum<Run>& sum) {
        float maximum[AtOnce], weight[AtOnce], largest = sum.base;
        vec<float, Run> output[AtOnce];
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            maximum[s] = block.template load_anywhere<float>(true, maxima),
            weight[s] = block.template load_anywhere<float>(true, sums),
            output[s] = block.template load_anywhere<vec<float, Run>>(true, outputs);
            if (count <= 0) maximum[s] = hidden_score, weight[s] = 0, output[s] = {};
            if (count > 1)
                maxima += next_sum, sums += next_sum,
                    outputs += next_output;  // no branch stands between loads: the last is read again
            --count;
        });
        unrolled<AtOnce>([&](int s) FADE_LAMBDA { largest = Block::maximum(largest, maximum[s]); });
        sum = sum.over(largest, Block::exp2((sum.base - largest) * log2_e));
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            sum.add(weight[s] * Block::exp2((maximum[s] - largest) * log2_e), 1, output[s]);
        });
    }
};

/// Columns of a lane, where a row has whole runs of them.
inline constexpr int combined_run = 4;
/// Shared memory of a workgroup that combines: a base, a weight and the columns of every lane.
constexpr int bytes_to_combine(int threads) { return threads * (2 + combined_run) * 4; }

/// Columns from `first` on of one row. `store(column, sum)` takes Run columns.
template <int Run, class Block, class F>
FADE_FN void combine_row(Block& block, const split_results& row, int first, int columns, F store) {
    block::combine_in_groups<split_sum<Run>>(
        block, min_of(ceil_div(columns - first, Run), Block::threads), row.count,
        [&](int place) FADE_LAMBDA {
            split_results mine = row;
            mine.outputs += first + place * Run;
            return mine;
        },
        [](const auto& a, const auto& b) FADE_LAMBDA { return both<Block>(a, b); },
        [&](int place, const auto& sum) FADE_LAMBDA { store(first + place * Run, sum); });
}

/// One query of one head, or nothing where its sequence has fewer.
template <class Block, class Args>
FADE_FN void combine_query(Block& block, const Args& args, int query, int head, int batch) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    const int columns = args.output_dim;
    const sequence_extent e = extent_of(args, batch);
    if (query >= e.query_count) return;
    const int in_group = head % args.tile_heads;
    const index first =
                    split_row(args, batch, head - in_group, 0) + index(query) * args.tile_heads + in_group,
                next_split = index(args.seq_q) * args.tile_heads;
    const split_results row{args.splits.maxima + first,
                            args.splits.sums + first,
                            args.splits.outputs + first * columns,
                            next_split,
                            next_split * columns,
                            args.splits.count};
    out* to = args.o + batch * args.o_strides.batch + head * args.o_strides.head +
              index(e.output_begin + query) * args.o_strides.position;
    const auto store = [&]<int Run>(int column, const split_sum<Run>& sum) FADE_LAMBDA {
        unrolled<Run>([&](int r) FADE_LAMBDA {
            to[column + r] = convert<out>(sum.weight == 0 ? 0.0f : sum.output[r] / sum.weight);
        });
        if (column == 0 && args.lse)
            args.lse[(index(batch) * args.heads + head) * args.seq_q + query] =
                sum.base + Block::log2(sum.weight) * ln_2;
    };
    block.await_inputs();
    if (columns % combined_run == 0)
        combine_row<combined_run>(block, row, 0, columns, store);  // at most 512 columns
    else
        for (int c = 0; c < columns; c += Block::threads) combine_row<1>(block, row, c, columns, store);
}

/// Lines are heads.
template <class Block, class Args>
FADE_FN void combine_splits(Block& block, const Args& args) {
    if (args.lengths_q || args.lengths_k) block.await_inputs();
    block::line_schedule(block).each([&](const block::line_work& work) FADE_LAMBDA {
        combine_query(block, args, work.tile, work.line, work.layer);
    });
}

}  // namespace FADE_NAMESPACE::kernel

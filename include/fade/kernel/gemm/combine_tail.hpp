// Adds up what clusters that shared the last tiles have left, and finishes those.
#pragma once
#include <fade/block/schedule/shared_tail.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/combine.hpp>

namespace FADE_NAMESPACE::kernel {

/// The tile of a cluster's workgroup, by numbers that the compiler does not know.
template <class Args>
FADE_FN block::work_item tile_of_tail(const Args& args, int number, int rank) {
    const auto by = [&](auto cluster) FADE_LAMBDA {
        const block::tile_walk walk{args.tile_rows, args.tile_columns, args.tail.swizzle_rows, 1, 1};
        return block::persistent_schedule<decltype(cluster)::value>(walk, args.batches, args.workgroups,
                                                                    args.cluster_columns, rank)
            .item(number);
    };
    const int cluster = args.tail.cluster;
    if (cluster == 1) return by(std::integral_constant<int, 1>{});
    if (cluster == 2) return by(std::integral_constant<int, 2>{});
    return by(std::integral_constant<int, 4>{});
}

/// A workgroup a run of a tile; z of the grid counts tiles.
template <class Block, class Args>
FADE_FN void combine_tail(Block& block, const Args& args) {
    constexpr bool fours = combines_fours<Block, Args>;
    using parts = std::conditional_t<fours, partial_fours<Args>, partial_sums<Args>>;
    constexpr int width = fours ? 4 : 1;
    const shared_tail& tail = args.tail;
    const index elements = index(tail.tile_rows) * tail.tile_columns;
    constexpr int run = block::combine_run(block::usual_sharers) / width;
    for (const block::run_work& work : block::run_schedule(block, elements / width, run)) {
        const int number = int(unsigned(work.layer) / unsigned(tail.cluster)),
                  rank = work.layer - number * tail.cluster;
        const block::work_item tile = tile_of_tail(args, tail.shares.whole + number, rank);
        const auto sharers = tail.shares.sharers(number);
        const auto* first =
            args.partial + (index(tail.shares.place(sharers.begin, number)) * tail.cluster + rank) * elements;
        block::combine_items<typename parts::sum_type, 8>(
            block, work,
            [&](index item) FADE_LAMBDA {
                return parts{first + item * width, tail.cluster * elements, sharers.end - sharers.begin};
            },
            [&](index item, const auto& sums) FADE_LAMBDA {
                const int at = int(item) * width, in_row = int(unsigned(at) / unsigned(tail.tile_columns));
                const index row = index(tile.tile.row) * tail.tile_rows + in_row,
                            column =
                                index(tile.tile.column) * tail.tile_columns + at - in_row * tail.tile_columns;
                if (row >= args.m || column >= args.n) return;
                if constexpr (fours)
                    finish_four(block, args, tile.layer, row, column, int(min_of<index>(args.n - column, 4)),
                                sums);
                else
                    args.d[tile.layer * args.stride_d + row * args.ldd + column] =
                        finished(args, sums, {row, column, tile.layer, true});
            });
    }
}

/// By the epilogue.
template <class Block, class Args>
FADE_FN void finish_tail(Block& block, const Args& args) {
    epilogue::observed(args, [&](const Args& own) { combine_tail(block, own); });
}

}  // namespace FADE_NAMESPACE::kernel

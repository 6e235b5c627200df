// The matrix multiplication by boxes where tiles are few: workgroups of a cluster share the k of one, and
// each finishes a share of its rows.
#pragma once
#include <fade/kernel/gemm/tma_ring.hpp>

namespace FADE_NAMESPACE::kernel {

/// This workgroup's rows of a tile whose sums the workgroups of its cluster hold, through the epilogue to D.
template <class Traits, class Block, class Args>
FADE_FN void finish_rows_of_rank(Block& block, const Args& args, const output_tile& at, int rank) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    const tensor_map* map = args.boxes_out ? &args.out_map : nullptr;
    if constexpr (gates<Args>) {
        const block::box_target<out> to{map,
                                        d_to_map(args),
                                        {int(at.column) / 2, int(at.row), 0, int(at.batch)},
                                        at.rows,
                                        at.columns / 2};
        block::store_cluster_pairs<out>(
            block, Traits::cluster_memory(), rank, to,
            [&](int row, int column, auto left, auto right) FADE_LAMBDA {
                const epilogue::position first = place_in_tile(args, at, row, column),
                                         second = place_in_tile(args, at, row, column + 1);
                return gated_value(args, up_to_gate(args, left, first), up_to_gate(args, right, second),
                                   first);
            });
    } else {
        const block::box_target<out> to{
            map, d_to_map(args), {int(at.column), int(at.row), 0, int(at.batch)}, at.rows, at.columns};
        block::store_cluster_rows<out>(
            block, Traits::cluster_memory(), rank, to, [&](int row, int column, auto x) FADE_LAMBDA {
                return finished_value(args, x, place_in_tile(args, at, row, column));
            });
    }
}

/// The same of a part of k, whose sums a second launch adds up.
template <class Traits, class Block, class Args>
FADE_FN void store_rows_of_rank(Block& block, const Args& args, const output_tile& at, int rank) {
    using sum = typename Traits::sums::element;
    const block::box_target<sum> to{args.boxes_out ? &args.out_map : nullptr,
                                    partial_to_map(args),
                                    {int(at.column), int(at.row), 0, int(at.layer)},
                                    at.rows,
                                    at.columns};
    block::store_cluster_rows<sum>(block, Traits::cluster_memory(), rank, to,
                                   [](int, int, sum x) FADE_LAMBDA { return x; });
}

/// The product of what `operands` asks for: each workgroup sums its slice of k into its own shared memory,
/// then all meet, read from each other, and meet again before any of them ends.
template <class Traits, matrix_workgroup Block, class Args, class Operands>
FADE_FN void multiply_boxes_together(Block& block, const Args& args, const Operands& operands) {
    using accumulator = typename Traits::template accumulator<Block>;
    using multiplier = block::warpgroup_multiplier<Block, accumulator, typename Traits::grid,
                                                   typename Traits::layout_a, typename Traits::layout_b>;
    constexpr gemm_policy policy = Traits::policy;
    block.prefetch_maps(args.a_map, args.b_map);
    Traits::barriers().begin(block, Traits::groups);
    Traits::ring::meet(block);
    block.await_inputs();
    gemm_producer<Traits, Block, Args, Operands> producer(block, args, operands);
    block::roles<Traits::registers>(block, producer, [&] {
        const box_schedule<policy> tile = box_tiles<policy>(block, args);
        const output_tile at = operands.place(split_of(tile.item(tile.first), args.splits));
        {
            multiplier product(block);
            accumulator acc;
            sum_tile<Traits>(block, product, acc, {}, slice_of_rank<policy>(at, tile.rank), operands);
            block.meet();  // other waves may still read the ring
            block::keep_sums(block, acc, Traits::cluster_memory());
        }
        block.meet_cluster();
        if (args.splits > 1)
            store_rows_of_rank<Traits>(block, args, at, tile.rank);
        else
            epilogue::observed(args, [&](const Args& own) FADE_LAMBDA {
                finish_rows_of_rank<Traits>(block, own, at, tile.rank);
            });
        block.leave_cluster();
    });
    block::producers_leave_cluster(block);
}

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void gemm_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    const matrix_boxes<traits, Args> operands(args);
    if constexpr (Policy.cluster_k > 1)
        multiply_boxes_together<traits>(block, args, operands);
    else
        multiply_boxes<traits>(block, args, operands);
}

}  // namespace FADE_NAMESPACE::kernel

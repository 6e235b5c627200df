// Products of groups of rows for machines whose copy unit brings boxes: rows of A and matrices B are boxes,
// and a group's last rows are stored by lanes, since those behind them are another group's.
#pragma once
#include <fade/block/schedule/persistent_groups.hpp>
#include <fade/kernel/gemm/tma_ring.hpp>
#include <fade/kernel/grouped/body.hpp>

namespace FADE_NAMESPACE::kernel {

/// Sums of a tile through the epilogue to those rows of D that are the group's.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_by_lanes(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sum = typename Acc::element;
    block::finish_boxes(block);  // of the tile before
    block.meet_group();
    block::store_runs<out>(block, acc, Traits::results(),
                           box_of_output(args, at, args.boxes_out ? &args.out_map : nullptr),
                           [&](int row, int column, sum x) FADE_LAMBDA {
                               return finished_value(args, x, place_in_tile(args, at, row, column));
                           });
}

/// Rows that lie one after another, and the matrices of all groups. Workgroups of a cluster share either.
template <class Args>
FADE_FN tile_source grouped_a_to_map(const Args& args, tile_shape tile, int cluster) {
    return operand_to_map(args.a, block::memory_order::k_contiguous, args.m, args.k, args.a_row, 1, 0, tile,
                          tile.m / cluster);
}
/// A tile whose workgroups bring boxes of A for each other, or of B.
struct clustered_tile : output_tile {
    bool same_rows;
};

/// The boxes of a group's rows, and of its matrix. What a tile brings of the group behind is multiplied, and
/// dropped.
template <class Traits, class Args>
class grouped_boxes {
    using layout_a = typename Traits::layout_a;
    using layout_b = typename Traits::layout_b;
    static constexpr gemm_policy policy = Traits::policy;
    static constexpr bool b_along_rows = layout_b::order == block::operand_order::row_contiguous;

public:
    static constexpr bool may_sum_nothing = false, has_short_tiles = true, placed_by_arguments = false;
    FADE_FN explicit grouped_boxes(const Args& args) : args_(&args) {}

    template <class Block>
    FADE_FN block::persistent_groups<policy.cluster> tiles(const Block& block) const {
        return {block, args_->groups, policy.block_tile.m, walk_over_tiles<policy, Block>(*args_),
                args_->workgroups};
    }
    FADE_FN clustered_tile place(const block::clustered_work& work) const {
        return {place_in_group(*args_, work, policy.block_tile.n), work.same_rows};
    }
    FADE_FN void begin_tile(const clustered_tile& at) {
        row_ = int(at.row), column_ = int(at.column), same_rows_ = at.same_rows;
        matrix_ = args_->stride_b == 0 ? 0 : int(at.batch);
    }
    template <class Block>
    FADE_FN int bytes_of_step(const Block&) const {
        return Traits::batch_bytes - bytes_left_out<layout_b>(b_to_map(*args_, Traits::access.b,
                                                                       policy.block_tile, policy.cluster));
    }
    /// The step from k on.
    template <class Block, class Tiles>
    FADE_FN void copy(Block& block, const Tiles& to, int k, std::uint32_t announces, int rank) const {
        copy_boxes<layout_a, policy.cluster>(
            block, to.a.base, args_->a_map, grouped_a_to_map(*args_, policy.block_tile, policy.cluster),
            announces, rank, [&](int behind) FADE_LAMBDA { return box_place{k, row_ + behind, 0, 0}; },
            !same_rows_);
        copy_boxes<layout_b, policy.cluster>(
            block, to.b.base, args_->b_map,
            b_to_map(*args_, Traits::access.b, policy.block_tile, policy.cluster), announces, rank,
            [&](int behind) FADE_LAMBDA {
                return b_along_rows ? box_place{column_ + behind, k, 0, matrix_}
                                    : box_place{k, column_ + behind, 0, matrix_};
            },
            same_rows_);
    }
    template <class Block, class Acc>
    FADE_FN void store(Block& block, Acc& acc, const output_tile& at) const {
        using grid = typename Traits::grid;
        if (!block::has_rows<grid>(block, at.rows)) return;
        if constexpr (!gates<Args> && !epilogue::chosen_at_run_time<decltype(Args::epilogue)>)
            if (!block::has_all_rows<grid>(block, at.rows))
                return epilogue::observed(*args_, [&](const Args& own) FADE_LAMBDA {
                    store_by_lanes<Traits>(block, acc, own, at);
                });
        store_by_boxes<Traits>(block, acc, *args_, at);
    }

private:
    const Args* args_;
    int row_ = 0, column_ = 0, matrix_ = 0;
    bool same_rows_ = false;
};

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void grouped_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    multiply_boxes<traits>(block, args, grouped_boxes<traits, Args>(args));
}

}  // namespace FADE_NAMESPACE::kernel

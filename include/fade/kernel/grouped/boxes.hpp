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
    block::store_rows<out>(block, acc, Traits::results(),
                           box_of_output(args, at, args.boxes_out ? &args.out_map : nullptr),
                           [&](int row, int column, sum x) FADE_LAMBDA {
                               return finished_value(args, x, place_in_tile(args, at, row, column));
                           });
}

/// The boxes of rows that lie one after another, and of their group's matrix. What a tile brings of the group
/// behind is multiplied, and dropped.
template <class Traits, class Args>
class grouped_boxes : public matrix_boxes<Traits, Args> {
    static constexpr gemm_policy policy = Traits::policy;
    static_assert(policy.cluster == 1, "workgroups bring boxes for themselves");
    const Args* args_;

public:
    static constexpr bool has_short_tiles = true;
    FADE_FN explicit grouped_boxes(const Args& args) : matrix_boxes<Traits, Args>(args), args_(&args) {}

    template <class Block>
    FADE_FN block::persistent_groups tiles(const Block& block) const {
        return {block, args_->groups, policy.block_tile.m, walk_over_tiles<policy, Block>(*args_),
                args_->workgroups};
    }
    FADE_FN output_tile place(const block::grouped_work& work) const {
        return place_in_group(*args_, work, policy.block_tile.n);
    }
    template <class Block, class Acc>
    FADE_FN void store(Block& block, Acc& acc, const output_tile& at) const {
        if constexpr (!gates<Args> && !epilogue::chosen_at_run_time<decltype(Args::epilogue)>)
            if (at.rows < policy.block_tile.m)
                return epilogue::observed(*args_, [&](const Args& own) FADE_LAMBDA {
                    store_by_lanes<Traits>(block, acc, own, at);
                });
        store_by_boxes<Traits>(block, acc, *args_, at);
    }
};

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void grouped_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    multiply_boxes<traits>(block, args, grouped_boxes<traits, Args>(args));
}

}  // namespace FADE_NAMESPACE::kernel

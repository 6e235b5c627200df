// Products with scales of parts for machines whose copy unit brings boxes: a step of the ring is a part of k.
#pragma once
#include <fade/kernel/gemm/tma_ring.hpp>
#include <fade/kernel/scaled/body.hpp>

namespace FADE_NAMESPACE::kernel {

/// The boxes of two matrices, and the scales of a tile, all of whose columns share one at each part.
template <class Traits, class Args>
class scaled_boxes : public matrix_boxes<Traits, Args> {
    const Args* args_;

public:
    static constexpr bool placed_by_arguments = true;  // scales are read by those who sum
    FADE_FN explicit scaled_boxes(const Args& args) : matrix_boxes<Traits, Args>(args), args_(&args) {}

    template <class Acc, class Block>
    FADE_FN auto scales(Block& block, const output_tile& at) const {
        return block::lane_scales<Block, Acc, typename Traits::grid>(block, args_->scale_a, at.row, at.rows,
                                                                     args_->scale_b, at.column);
    }
};

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void scaled_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    static_assert(Policy.block_tile.k == scale_depth, "a step is a part of k that shares scales");
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    multiply_boxes<traits>(block, args, scaled_boxes<traits, Args>(args));
}

}  // namespace FADE_NAMESPACE::kernel

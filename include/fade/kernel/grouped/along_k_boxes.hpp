// Products of groups along k for machines whose copy unit brings boxes: a group's last box holds rows of the
// next group, too, in whose place zeros are put.
#pragma once
#include <fade/kernel/gemm/tma_ring.hpp>
#include <fade/kernel/grouped/along_k.hpp>

namespace FADE_NAMESPACE::kernel {

/// The boxes of two matrices, of the rows of a group.
template <class Traits, class Args>
class grouped_k_boxes : public matrix_boxes<Traits, Args> {
    using layout_a = typename Traits::layout_a;
    using layout_b = typename Traits::layout_b;

public:
    static constexpr bool may_sum_nothing = true;       // of a group without rows
    static constexpr bool placed_by_arguments = false;  // ends say where, which the kernel before may write
    FADE_FN explicit grouped_k_boxes(const Args& args) : matrix_boxes<Traits, Args>(args), args_(&args) {}

    /// All are made whole: as many steps as a group has are known to nobody who would share them out.
    template <class Block>
    FADE_FN auto tiles(const Block& block) const {
        return box_tiles<Traits::policy>(block, *args_);
    }
    FADE_FN output_tile place(const block::split_work& work) const {
        return tile_of_output<Traits::policy>(*args_, work.tile, work.layer, 0, args_->k_of(work.layer));
    }
    /// Leaves the first `count` k of a step in both operands: what others hold may be no number.
    template <class Block, class Tiles>
    FADE_FN void cut(Block& block, const Tiles& tiles, int count) const {
        if (count >= Traits::policy.block_tile.k) return;
        block::clear_behind<layout_a>(block, tiles.a.base, count);
        block::clear_behind<layout_b>(block, tiles.b.base, count);
        block.publish();
        block.meet();
    }

private:
    const Args* args_;
};

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void grouped_k_by_boxes(Block& block, const Args& args) {
    using traits = tma_gemm_traits<typename Block::arch, typename Args::element, Policy, Access>;
    multiply_boxes<traits>(block, args, grouped_k_boxes<traits, Args>(args));
}

}  // namespace FADE_NAMESPACE::kernel

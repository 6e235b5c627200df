// The matrix multiplication for machines that copy to shared memory asynchronously.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/block/warpgroup.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/gemm/body.hpp>

namespace FADE_NAMESPACE::kernel {

template <gemm_policy Policy, gemm_access Access, async_workgroup Block, class Args>
FADE_FN void gemm_ring(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    using accumulator = typename traits::template accumulator<Block>;
    using layout_a = block::warpgroup_layout<typename traits::layout_a, Access.a>;
    using layout_b = block::warpgroup_layout<typename traits::layout_b, Access.b>;
    static_assert(traits::by_warpgroup || (Access.a == block::memory_order::k_contiguous &&
                                           Access.b == block::memory_order::k_contiguous),
                  "without a matrix unit that reads either order the ring needs operands contiguous along k");
    const output_tile at = place_in_output<Policy>(block, args);
    block::async_loader<Block, in, layout_a, Access.a> a(block, operand_a<traits>(args, at));
    block::async_loader<Block, in, layout_b, Access.b> b(block, operand_b<traits>(args, at));
    accumulator acc;
    wave::zero(block, acc);
    const block::k_steps steps(at.k_count, traits::tile.k);
    const auto tiles = [](int stage) {
        const auto t = traits::tiles(stage);
        return block::tile_pair<layout_a, layout_b>{{t.a.base}, {t.b.base}};
    };
    if constexpr (traits::by_warpgroup) {
        block::warpgroup_multiplier<Block, accumulator, typename traits::grid, layout_a, layout_b> product(
            block);
        block::run_warpgroup_ring<traits::stages>(
            block, a, b, steps, traits::tile.k, tiles,
            [&](const auto& pair) { product.start(block, acc, pair.a, pair.b); });
    } else {
        block::multiplier<Block, accumulator, typename traits::grid, layout_a, layout_b> product(block);
        block::run_async_ring<traits::stages>(
            block, a, b, steps, traits::tile.k, tiles,
            [&](const auto& pair) { product.multiply(block, acc, pair.a, pair.b); });
    }
    store_result<traits>(block, acc, args, at);
}

}  // namespace FADE_NAMESPACE::kernel

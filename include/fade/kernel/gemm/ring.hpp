// The matrix multiplication for machines that copy to shared memory asynchronously.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/block/warpgroup.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/gemm/body.hpp>

namespace FADE_NAMESPACE::kernel {

/// How a ring keeps an operand: as it lies in memory. Matrix units read either order, and lanes f64.
template <class Traits, class Layout, block::memory_order Order>
constexpr auto choose_ring_layout() {
    constexpr bool along_k = Order == block::memory_order::k_contiguous;
    static_assert(along_k || Traits::by_warpgroup || sizeof(typename Layout::element) == 8,
                  "without a matrix unit that reads either order the ring needs operands contiguous along k");
    if constexpr (along_k)
        return Layout{};
    else if constexpr (Traits::by_warpgroup)
        return block::warpgroup_layout<Layout, Order>{};
    else
        return block::line_layout<typename Layout::element, Layout::rows, Layout::depth>{};
}
template <class Traits, class Layout, block::memory_order Order>
using ring_layout = decltype(choose_ring_layout<Traits, Layout, Order>());

template <gemm_policy Policy, gemm_access Access, async_workgroup Block, class Args, class Sources>
FADE_FN void multiply_ring(Block& block, const Args& args, const output_tile& at, const Sources& from) {
    using in = typename decltype(from.a)::element;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    using accumulator = typename traits::template accumulator<Block>;
    using layout_a = ring_layout<traits, typename traits::layout_a, Access.a>;
    using layout_b = ring_layout<traits, typename traits::layout_b, Access.b>;
    auto loaders = block::paired(
        block::async_loader<Block, in, layout_a, Access.a, decltype(from.a)>(block, from.a),
        block::async_loader<Block, in, layout_b, Access.b, decltype(from.b)>(block, from.b), from.walk);
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
            block, loaders, steps, traits::tile.k, tiles,
            [&](const auto& pair) { product.start(block, acc, pair.a, pair.b); });
    } else {
        block::multiplier<Block, accumulator, typename traits::grid, layout_a, layout_b> product(block);
        block::run_async_ring<traits::stages>(
            block, loaders, steps, traits::tile.k, tiles,
            [&](const auto& pair) { product.multiply(block, acc, pair.a, pair.b); });
    }
    store_result<traits>(block, acc, args, at);
}

/// By the policy's pipeline.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args, class Sources>
FADE_FN void multiply_sources(Block& block, const Args& args, const output_tile& at, const Sources& from) {
    if constexpr (Policy.pipeline == block::pipeline_kind::async_ring)
        multiply_ring<Policy, Access>(block, args, at, from);
    else
        multiply_tiles<Policy, Access>(block, args, at, from);
}

/// D = epilogue(alpha * A B + beta * C) of two matrices.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void gemm_body(Block& block, const Args& args) {
    for (const block::split_work& work :
         block::split_schedule(block, walk_over_tiles<Policy, Block>(args), args.splits)) {
        const output_tile at = place_in_output<Policy>(args, work);
        multiply_sources<Policy, Access>(block, args, at,
                                         block::sources(operand_a(args, at), operand_b(args, at)));
    }
}

/// The same by stream-k.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void stream_k_body(Block& block, const Args& args) {
    for (const block::stream_k_work work :
         block::stream_k_schedule(block, walk_over_tiles<Policy, Block>(args), args.shares)) {
        const Args here = block.copy_arguments(args);  // else registers would keep them from tile to tile
        const output_tile at = place_in_output<Policy>(here, work);
        multiply_tiles<Policy, Access>(block, here, at,
                                       block::sources(operand_a(here, at), operand_b(here, at)));
        block.sync();  // nobody reads the tiles of this one
    }
}

}  // namespace FADE_NAMESPACE::kernel

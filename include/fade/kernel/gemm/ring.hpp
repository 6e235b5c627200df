// The matrix multiplication for machines that copy to shared memory asynchronously.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/kernel/gemm/body.hpp>

namespace fade::kernel {

template <gemm_policy Policy, class Block, class Args>
FADE_FN void gemm_ring(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    using accumulator = typename traits::template accumulator<Block>;
    const output_tile at = place_in_output<Policy>(block, args);
    block::async_loader<Block, in, typename traits::layout_a> a(block, operand_a<traits>(args, at));
    block::async_loader<Block, in, typename traits::layout_b> b(block, operand_b<traits>(args, at));
    block::multiplier<Block, accumulator, typename traits::grid, typename traits::layout_a, typename traits::layout_b> product(block);
    accumulator acc;
    wave::zero(block, acc);
    block::run_async_ring<traits::stages>(block, a, b, block::k_steps(args.k, traits::tile.k), traits::tile.k, traits::tiles,
                                          [&](const auto& pair) { product.multiply(block, acc, pair.a, pair.b); });
    store_output<traits>(block, acc, args, at);
}

}  // namespace fade::kernel

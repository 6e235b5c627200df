// The matrix multiplication kernel: D = epilogue(alpha * A B + beta * C), one tile of D a workgroup.
#pragma once
#include <fade/block/pipeline.hpp>
#include <fade/block/read_ahead.hpp>
#include <fade/block/rows_ahead.hpp>
#include <fade/block/schedule/split.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/arguments.hpp>
#include <fade/kernel/gemm/gate.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <fade/kernel/gemm/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// How workgroups walk over the tiles of D.
template <gemm_policy Policy, class Block, class Args>
FADE_FN block::tile_walk walk_over_tiles(const Args& args) {
    return {.tile_rows = args.tile_rows,
            .tile_columns = args.tile_columns,
            .swizzle_rows = Policy.swizzle_rows,
            .xcds = Block::arch::traits.xcds,
            .xcd_chunk = Policy.xcd_chunk};
}

/// A tile of D, and a part of k. `layer`: of what parts leave.
template <gemm_policy Policy, class Args>
FADE_FN output_tile tile_of_output(const Args& args, const block::tile_index& tile, int batch, int layer,
                                   const block::part_range<index>& k) {
    const index row = index(tile.row) * Policy.block_tile.m,
                column = index(tile.column) * Policy.block_tile.n;
    return {.row = row,
            .column = column,
            .batch = batch,
            .layer = layer,
            .k_begin = k.begin,
            .k_count = k.end - k.begin,
            .rows = int(min_of<index>(args.m - row, Policy.block_tile.m)),
            .columns = int(min_of<index>(args.n - column, Policy.block_tile.n))};
}

template <gemm_policy Policy, class Args>
FADE_FN output_tile place_in_output(const Args& args, const block::split_work& work) {
    return tile_of_output<Policy>(args, work.tile, work.layer, work.left,
                                  block::part_of<index>(0, args.k, args.k_split, work.part));
}

/// A part of k is whole steps, but for the end of k.
template <gemm_policy Policy, class Args>
FADE_FN output_tile place_in_output(const Args& args, const block::stream_k_work& work) {
    constexpr index depth = Policy.block_tile.k;
    const index first = work.first_step * depth;
    return tile_of_output<Policy>(args, work.tile, work.layer, work.left,
                                  {first, min_of<index>(first + work.steps * depth, args.k)});
}

/// The end of a workgroup: its tile of D, or its part of the sums.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_result(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    if constexpr (requires { args.shares; }) {
        if (at.layer >= 0) return store_to_place<Traits>(block, acc, args, at);
    } else if (args.splits > 1)
        return store_partial<Traits>(block, acc, args, at);
    epilogue::observed(args, [&](const Args& own) FADE_LAMBDA {
        if constexpr (gates<Args>)
            store_gated<Traits>(block, acc, own, at);
        else
            store_output<Traits>(block, acc, own, at);
    });
}

template <class Args>
FADE_FN auto operand_a(const Args& args, const output_tile& at) {
    const auto* begin = args.a + at.batch * args.stride_a;
    return block::operand<std::remove_cvref_t<decltype(*begin)>>{
        begin + at.row * args.a_row + at.k_begin * args.a_k,
        begin,
        begin + (args.m - 1) * args.a_row + (args.k - 1) * args.a_k + 1,
        args.a_row,
        args.a_k,
        at.rows};
}

template <class Args>
FADE_FN auto operand_b(const Args& args, const output_tile& at) {
    const auto* begin = args.b + at.batch * args.stride_b;
    return block::operand<std::remove_cvref_t<decltype(*begin)>>{
        begin + at.column * args.b_column + at.k_begin * args.b_k,
        begin,
        begin + (args.n - 1) * args.b_column + (args.k - 1) * args.b_k + 1,
        args.b_column,
        args.b_k,
        at.columns};
}

/// Elements on their way to shared memory: what an atom takes as it is moves as bits, what is converted has
/// its own type.
template <class Traits, class In, class Element>
using moved_element = std::conditional_t<std::is_same_v<In, typename Traits::atom::element>, In, Element>;

/// GPUs and their emulation: tiles of two sources pass through registers and shared memory to the matrix
/// instructions.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args, class Sources>
FADE_FN void multiply_tiles(Block& block, const Args& args, const output_tile& at, const Sources& from) {
    using in = typename decltype(from.a)::element;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    using in_a = moved_element<traits, in, element_of_a<in>>;
    using in_b = moved_element<traits, in, element_of_b<in>>;
    const auto home = traits::tiles(0);
    auto loaders =
        block::paired(block::tile_loader<Block, in_a, typename traits::layout_a, Access.a, decltype(from.a)>(
                          block, from.a, home.a),
                      block::loader_of<Block, in_b, typename traits::layout_b, Access.b, decltype(from.b)>(
                          block, from.b, home.b),
                      from.walk);
    using accumulator = typename traits::template accumulator<Block>;
    typename traits::template multiplier<Block> product(block, home);
    accumulator acc;
    wave::zero(block, acc);
    const block::k_steps steps(at.k_count, traits::tile.k);
    constexpr bool ahead = Policy.pipeline == block::pipeline_kind::read_ahead,
                   // Pages are turned two steps ahead, no further.
        far = traits::one_slice && decltype(loaders)::paged;
    if constexpr (ahead && traits::by_rows && !far)
        block::rows_ahead_loop(block, loaders, product, acc, traits::tiles).run(steps, traits::tile.k);
    else if constexpr (ahead && !traits::by_rows && !far)
        block::read_ahead_loop(block, loaders, product, acc, traits::tiles).run(steps, traits::tile.k);
    else
        block::run_pipeline<ahead ? block::pipeline_kind::double_buffer : Policy.pipeline>(
            block, loaders, steps, traits::tile.k, traits::tiles,
            [&](const auto& pair) { product.multiply(block, acc, pair.a, pair.b); });
    if constexpr (requires { args.template at_the_end<Block>(); })
        store_result<traits>(block, acc, args.template at_the_end<Block>(), at);
    else
        store_result<traits>(block, acc, args, at);
}

}  // namespace FADE_NAMESPACE::kernel

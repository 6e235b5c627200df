// Products of groups of rows, each with quantised weights of its own.
#pragma once
#include <fade/kernel/grouped/body.hpp>
#include <fade/kernel/weights/body.hpp>

namespace FADE_NAMESPACE::kernel {

/// `weights` are those of the first group; those of the others follow, as many bytes apart as they take.
template <class In, class Out, class Epilogue>
struct grouped_weight_arguments : grouped_arguments<In, Out, Epilogue> {
    block::weight_memory weights;
};

/// W of one group.
template <weight_format Format>
FADE_FN block::weight_memory weights_of_group(block::weight_memory of, int group) {
    of.words += group * block::bytes_of_words<Format>(of);
    of.scales += group * block::bytes_of_scales<Format>(of);
    if constexpr (Format.zero != weight_zero::none) of.zeros += group * block::bytes_of_zeros<Format>(of);
    return of;
}

template <gemm_policy Policy, weight_format Format, wave_workgroup Block, class Args>
FADE_FN void grouped_weight_tiles(Block& block, const Args& args) {
    using enum block::memory_order;
    using weights = block::weight_source<Format, std::remove_cvref_t<decltype(*args.a)>>;
    constexpr tile_shape tile = Policy.block_tile;
    for (const block::grouped_work& work :
         block::grouped_schedule(block, walk_over_tiles<Policy, Block>(args), args.groups, tile.m)) {
        const output_tile at = place_in_group(args, work, tile.n);
        const weights w =
            weights::of(weights_of_group<Format>(args.weights, work.group), at.column, 0, at.columns);
        multiply_tiles<Policy, gemm_access{k_contiguous, k_contiguous}>(
            block, args, at, block::sources(rows_of_group(args, at), w));
    }
}

/// Behind what a product needs lie a strip of A as a list names it, and a panel of weights as numbers.
template <gemm_policy Policy, weight_format Format, workgroup Block, class Args>
void grouped_weight_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    std::byte* const strip = block.shared + traits::shared_bytes;
    for (const block::grouped_work& work :
         block::grouped_schedule(block, walk_over_tiles<Policy, Block>(args), args.groups, args.share_rows)) {
        const output_tile at = place_in_group(args, work, args.share_columns);
        const block::listed_lines<in> a{args.a, args.a_row, args.row_list, args.rows_of_a,
                                        reinterpret_cast<in*>(strip)};
        const block::weight_memory own = weights_of_group<Format>(args.weights, work.group);
        const block::weight_lines<Format, in> b{own, reinterpret_cast<in*>(strip + listed_bytes<traits, in>)};
        walk_panels<traits>(block.shared, args, a, b, at, at.rows, at.columns);
    }
}

}  // namespace FADE_NAMESPACE::kernel

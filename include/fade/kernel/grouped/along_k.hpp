// Products of groups along k: each group of rows of A and B makes a matrix D of its own.
#pragma once
#include <fade/block/schedule/grouped.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/ring.hpp>

namespace FADE_NAMESPACE::kernel {

/// k is that of all groups, and a group's number the batch of its D.
template <class In, class Out, class Epilogue>
struct grouped_k_arguments : gemm_arguments<In, Out, Epilogue> {
    using element = In;
    block::row_groups groups;

    /// The k of a group: of ends that fall, none.
    FADE_FN block::part_range<index> k_of(int group) const {
        const int begin = groups.begin(group);
        return {begin, max_of(groups.end(group), begin)};
    }
};

template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void grouped_k_tiles(Block& block, const Args& args) {
    for (const block::work_item& work : block::tile_schedule(block, walk_over_tiles<Policy, Block>(args))) {
        const output_tile at = tile_of_output<Policy>(args, work.tile, work.layer, 0, args.k_of(work.layer));
        multiply_sources<Policy, Access>(block, args, at,
                                         block::sources(operand_a(args, at), operand_b(args, at)));
    }
}

template <gemm_policy Policy, workgroup Block, class Args>
void grouped_k_panels(Block& block, const Args& args) {
    using traits = gemm_traits<typename Block::arch, typename Args::element, Policy>;
    for (const block::work_item& work :
         block::tile_schedule(block, block::walk_by_columns(args.tile_rows, args.tile_columns)))
        panels_of_share<traits>(block.shared, args, work.tile, work.layer, 0, args.k_of(work.layer));
}

}  // namespace FADE_NAMESPACE::kernel

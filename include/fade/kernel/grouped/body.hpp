// Products of groups of rows, each with a B of its own: tiles of the groups that a table counts.
#pragma once
#include <fade/block/schedule/grouped.hpp>
#include <fade/block/source/listed.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/ring.hpp>

namespace FADE_NAMESPACE::kernel {

/// m is the rows of all groups, and a group's number the batch of its B.
template <class In, class Out, class Epilogue>
struct grouped_arguments : gemm_arguments<In, Out, Epilogue> {
    block::row_groups groups;
    const int* row_list;
    int rows_of_a;
    int share_rows, share_columns;  ///< what a workgroup of the host makes
};

template <class Args>
FADE_FN output_tile place_in_group(const Args& args, const block::grouped_work& work, int tile_columns) {
    const index column = index(work.column) * tile_columns;
    return {.row = work.row,
            .column = column,
            .batch = work.group,
            .layer = 0,
            .k_begin = 0,
            .k_count = args.k,
            .rows = work.rows,
            .columns = int(min_of<index>(args.n - column, tile_columns))};
}

/// Rows of A that follow one another, or those that a list names.
template <class Args>
FADE_FN auto rows_of_group(const Args& args, const output_tile& at) {
    const auto* begin = args.a;
    const index lines = args.row_list ? args.rows_of_a : args.m;
    return block::listed_operand<std::remove_cvref_t<decltype(*begin)>>{
        {args.row_list ? begin : begin + at.row * args.a_row, begin,
         begin + (lines - 1) * args.a_row + (args.k - 1) * args.a_k + 1, args.a_row, args.a_k, at.rows},
        args.row_list ? args.row_list + at.row : nullptr,
        args.rows_of_a};
}

template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void grouped_tiles(Block& block, const Args& args) {
    constexpr tile_shape tile = Policy.block_tile;
    for (const block::grouped_work& work :
         block::grouped_schedule(block, walk_over_tiles<Policy, Block>(args), args.groups, tile.m)) {
        const output_tile at = place_in_group(args, work, tile.n);
        multiply_sources<Policy, Access>(block, args, at,
                                         block::sources(rows_of_group(args, at), operand_b(args, at)));
    }
}

/// A strip of A as a list names it, as deep as a step may be.
template <class Traits, class In>
inline constexpr int listed_bytes = Traits::strip * Traits::max_depth * int(sizeof(typename Traits::element));

template <gemm_policy Policy, workgroup Block, class Args>
void grouped_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    const block::tile_walk walk = walk_over_tiles<Policy, Block>(args);
    for (const block::grouped_work& work :
         block::grouped_schedule(block, walk, args.groups, args.share_rows)) {
        const output_tile at = place_in_group(args, work, args.share_columns);
        const block::listed_lines<in> a{args.a, args.a_row, args.row_list, args.rows_of_a,
                                        reinterpret_cast<in*>(block.shared + traits::shared_bytes)};
        const block::strided_lines<in> b{args.b + at.batch * args.stride_b, args.b_column, args.b_k};
        walk_panels<traits>(block.shared, args, a, b, at, at.rows, at.columns);
    }
}

}  // namespace FADE_NAMESPACE::kernel

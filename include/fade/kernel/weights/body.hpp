// Products with quantised weights: GEMM's tiles, of whose B the words become numbers on their way.
#pragma once
#include <fade/block/copy.hpp>
#include <fade/block/sliced_k/ring.hpp>
#include <fade/block/sliced_k/weights.hpp>
#include <fade/block/weights/lines.hpp>
#include <fade/block/weights/loader.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/sliced_k.hpp>
#include <fade/kernel/weights/stream.hpp>

namespace FADE_NAMESPACE::kernel {

/// What multiplies few rows: as many k of A at once as a lane takes of the weights.
template <class Arch, class In, weight_format Format>
struct sliced_weight_atom {
    using smallest = typename atom::smallest<typename Arch::template atom<In>>::type;
    using patch = block::sliced_patch<Format, atom::along_k<smallest>>;
    using type = atom::along_k<smallest, patch::k>;
};

/// What waves have of weights of few rows.
template <class Arch, class In, weight_format Format, gemm_policy Policy>
struct sliced_weight_traits : sliced_k_traits<Arch, typename sliced_weight_atom<Arch, In, Format>::type,
                                              Policy, sliced_weight_atom<Arch, In, Format>::patch::joined> {};

/// A ring besides, of as many steps as the workgroups of a compute unit find room for.
template <class Arch, class In, weight_format Format, gemm_policy Policy>
    requires(Policy.pipeline == block::pipeline_kind::sliced_ring)
struct sliced_weight_traits<Arch, In, Format, Policy>
    : sliced_k_traits<Arch, typename sliced_weight_atom<Arch, In, Format>::type, Policy,
                      sliced_weight_atom<Arch, In, Format>::patch::joined> {
    using plain = sliced_k_traits<Arch, typename sliced_weight_atom<Arch, In, Format>::type, Policy,
                                  sliced_weight_atom<Arch, In, Format>::patch::joined>;
    static constexpr int threads = Policy.waves() * Arch::traits.wave_size,
                         workgroups = max_of(Policy.waves_per_simd * 4 / Policy.waves(), 1),
                         reserved = 1024,  // of each workgroup, by hardware
        room = min_of(Arch::traits.lds_per_workgroup, Arch::traits.lds_per_cu / workgroups - reserved);
    using step = block::sliced_weight_step<typename plain::atom, Format, plain::of_columns / plain::atom::n,
                                           plain::slices>;
    using rows =
        block::ring_rows<typename plain::atom, In, plain::tile.m / plain::atom::m, plain::slices, threads>;
    static constexpr int step_bytes = step::template ring<threads>::bytes + rows::bytes,
                         stages = min_of(room / step_bytes, 8);
    static_assert(stages >= 2, "a ring has two steps or more");
    // Sums lie where the ring was.
    static constexpr int shared_bytes = max_of(plain::shared_bytes, stages* step_bytes);
    template <class Block, class Acc, class Sources>
    FADE_FN static void multiply(Block& block, Acc& acc, const Sources& from, int k_count) {
        block::weight_ring_product<Block, Acc, Format, In, block::ring_shape{plain::slices, stages}>(
            block, from.a, from.b)
            .run(block, acc, k_count);
    }
};

template <gemm_policy Policy, weight_format Format, wave_workgroup Block, class Args>
FADE_FN void weights_of_few_rows(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using arch = typename Block::arch;
    using traits = sliced_weight_traits<arch, in, Format, Policy>;
    for (const block::split_work& work :
         block::split_schedule(block, walk_over_tiles<Policy, Block>(args), args.splits)) {
        const output_tile at = place_in_output<Policy>(args, work);
        multiply_slices<traits>(block, args, at,
                                block::sources(operand_a(args, at), weights_at<Args, Format>(args, at)));
    }
}

template <gemm_policy Policy, weight_format Format, wave_workgroup Block, class Args>
FADE_FN void weight_tiles(Block& block, const Args& args) {
    using enum block::memory_order;
    for (const block::split_work& work :
         block::split_schedule(block, walk_over_tiles<Policy, Block>(args), args.splits)) {
        const output_tile at = place_in_output<Policy>(args, work);
        multiply_tiles<Policy, gemm_access{k_contiguous, k_contiguous}>(
            block, args, at, block::sources(operand_a(args, at), weights_at<Args, Format>(args, at)));
    }
}

/// A panel of weights as numbers, as deep as a step may be.
template <class Traits>
inline constexpr int panel_bytes = Traits::panel * Traits::max_depth * int(sizeof(typename Traits::element));

template <gemm_policy Policy, weight_format Format, workgroup Block, class Args>
void weight_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    for (const block::split_work& work : block::split_schedule(
             block, block::walk_by_columns(args.tile_rows, args.tile_columns), args.splits)) {
        const auto k = block::part_of<index>(0, args.k, args.k_split, work.part);
        const output_tile at{.row = index(work.tile.row) * args.share_rows,
                             .column = index(work.tile.column) * args.share_columns,
                             .batch = work.layer,
                             .layer = work.left,
                             .k_begin = k.begin,
                             .k_count = k.end - k.begin};
        const index rows = min_of<index>(args.share_rows, args.m - at.row),
                    columns = min_of<index>(args.share_columns, args.n - at.column);
        if (rows <= 0 || columns <= 0) continue;
        const block::strided_lines<in> a{args.a, args.a_row, args.a_k};
        const block::weight_lines<Format, in> b{args.weights,
                                                reinterpret_cast<in*>(block.shared + traits::shared_bytes)};
        walk_panels<traits>(block.shared, args, a, b, at, int(rows), int(columns));
    }
}

}  // namespace FADE_NAMESPACE::kernel

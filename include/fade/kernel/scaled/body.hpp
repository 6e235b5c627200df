// Products of which each part of k has scales of its own: a part is summed alone, and joins the sums of the
// parts before it by them.
#pragma once
#include <fade/block/schedule/tile.hpp>
#include <fade/block/source/line_scales.hpp>
#include <fade/block/source/scaled_lines.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/scaled/problem.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In, class Out, class Epilogue>
struct scaled_arguments : gemm_arguments<In, Out, Epilogue> {
    block::line_scales scale_a, scale_b;
};

template <gemm_policy Policy, class Args>
FADE_FN output_tile whole_depth(const Args& args, const block::work_item& work) {
    return tile_of_output<Policy>(args, work.tile, work.layer, work.layer, {0, args.k});
}

/// The sums of a tile, and what it takes to add some parts of k to them.
template <gemm_policy Policy, gemm_access Access, class Block, class Args>
class scaled_tile {
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().a)>;
    using traits = gemm_traits<typename Block::arch, in, Policy>;
    using accumulator = typename traits::template accumulator<Block>;
    using scales = block::result_scales<Block, accumulator, typename traits::grid>;
    using scales_a = block::tile_scales<Block, traits::tile.m>;
    using scales_b = block::tile_scales<Block, traits::tile.n>;
    static constexpr bool in_halves = Policy.pipeline == block::pipeline_kind::read_ahead;
    static_assert(traits::tile.k * (in_halves ? 2 : 1) == scale_depth,
                  "a step is a part of k that shares scales, or half of one where it is read ahead");

public:
    FADE_FN scaled_tile(Block& block, const Args& args, const output_tile& at)
        : block_(block), args_(args), at_(at),
          scales_(block, traits::shared_bytes, scales_a(block, args.scale_a, at.row, at.rows, parts_of(args)),
                  scales_b(block, args.scale_b, at.column, at.columns, parts_of(args))) {
        wave::zero(block, sums_);
    }

    /// Whole parts from `begin` on, or a last one that is shorter.
    FADE_FN void add(index begin, index count) {
        output_tile at = at_;
        at.k_begin = begin, at.k_count = count;
        const auto from = block::sources(operand_a(args_, at), operand_b(args_, at));
        const auto home = traits::tiles(0);
        auto loaders = block::paired(
            block::tile_loader<Block, in, typename traits::layout_a, Access.a, decltype(from.a)>(
                block_, from.a, home.a),
            block::tile_loader<Block, in, typename traits::layout_b, Access.b, decltype(from.b)>(
                block_, from.b, home.b),
            from.walk);
        // Sums twice leave registers for one slice.
        typename traits::template multiplier<Block, traits::one_slice> product(block_, home);
        const block::k_steps steps(count, traits::tile.k);
        if constexpr (in_halves)
            add_halves(loaders, product, steps);
        else
            block::run_pipeline<Policy.pipeline>(block_, loaders, steps, traits::tile.k, traits::tiles,
                                                 [&](const auto& pair) {
                                                     accumulator part;
                                                     wave::zero(block_, part);
                                                     product.multiply(block_, part, pair.a, pair.b);
                                                     scales_.add(block_, sums_, part);
                                                     scales_.next(block_);
                                                 });
        block_.sync();  // nobody reads the tiles of these parts
    }

    FADE_FN void store() { store_result<traits>(block_, sums_, args_, at_); }

private:
    /// By steps of half a part.
    template <class Loaders, class Product>
    FADE_FN void add_halves(Loaders& loaders, Product& product, const block::k_steps& steps) {
        accumulator part;
        wave::zero(block_, part);
        const auto join = [&]() FADE_LAMBDA {
            scales_.add(block_, sums_, part);
            scales_.next(block_);
            wave::zero(block_, part);
        };
        if constexpr (traits::one_slice)
            block::rows_ahead_loop(block_, loaders, product, part, traits::tiles)
                .run(steps, traits::tile.k, join);
        else
            block::read_ahead_loop(block_, loaders, product, part, traits::tiles)
                .run(steps, traits::tile.k, join);
    }

    FADE_FN static int parts_of(const Args& args) { return int(ceil_div<index>(args.k, scale_depth)); }

    Block& block_;
    const Args& args_;
    const output_tile at_;
    scales scales_;
    accumulator sums_;
};

/// Shared memory of a policy: its tiles, and behind them the scales of two parts.
template <class Traits>
inline constexpr int scaled_shared_bytes = Traits::shared_bytes + 2 * (Traits::tile.m + Traits::tile.n) * 4;

/// Whole parts first, then what is left of k: one text, of which the second turn is rare.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void scaled_tiles(Block& block, const Args& args) {
    const index whole = args.k / scale_depth * scale_depth;
    for (const block::work_item& work : block::tile_schedule(block, walk_over_tiles<Policy, Block>(args))) {
        scaled_tile<Policy, Access, Block, Args> tile(block, args, whole_depth<Policy>(args, work));
        for (index begin = 0, end = whole; begin < args.k; begin = end, end = args.k)
            if (end > begin) tile.add(begin, end - begin);
        tile.store();
    }
}

/// Bytes of lines that are multiplied by their scales.
template <class Traits>
inline constexpr int scaled_bytes = Traits::strip_elements * int(sizeof(float));

/// On the host elements meet their scales when they are packed.
template <gemm_policy Policy, workgroup Block, class Args>
void scaled_panels(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = gemm_traits<typename Block::arch, float, Policy>;
    const index height = block::share_of<index>(args.m, args.tile_rows, traits::atom::m),
                width = block::share_of<index>(args.n, args.tile_columns, traits::panel);
    auto* scratch = reinterpret_cast<float*>(block.shared + traits::shared_bytes);
    for (const block::work_item& work :
         block::tile_schedule(block, block::walk_by_columns(args.tile_rows, args.tile_columns))) {
        const output_tile at{.row = work.tile.row * height,
                             .column = work.tile.column * width,
                             .batch = 0,
                             .layer = 0,
                             .k_begin = 0,
                             .k_count = args.k};
        const index rows = min_of(height, args.m - at.row), columns = min_of(width, args.n - at.column);
        if (rows <= 0 || columns <= 0) continue;
        const block::scaled_lines<in> a{args.a, args.a_row, args.a_k, args.scale_a, scale_depth, scratch},
            b{args.b, args.b_column, args.b_k, args.scale_b, scale_depth, scratch};
        walk_panels<traits>(block.shared, args, a, b, at, int(rows), int(columns));
    }
}

}  // namespace FADE_NAMESPACE::kernel

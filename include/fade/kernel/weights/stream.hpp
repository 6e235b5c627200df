// Products of few rows with quantised weights that stream through shared memory: workgroups of a cluster
// share the k of a tile, and each finishes its part of the sums.
#pragma once
#include <fade/atom/along_k.hpp>
#include <fade/atom/mma_sm80_transposed.hpp>
#include <fade/atom/wgmma_chained.hpp>
#include <fade/block/weight_stream/product.hpp>
#include <fade/block/weight_stream/sums.hpp>
#include <fade/block/weight_stream/unit.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/weights/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Steps that such a ring has at most: more in flight is no faster.
inline constexpr int max_weight_stages = 6;

/// A ring of as many steps as the workgroups of a compute unit find room for. Sums lie where it was.
template <class Arch, class In, weight_format Format, gemm_policy Policy>
struct weight_stream_traits {
    static constexpr int groups = Policy.block_tile.n / Policy.wave_tile.n, parts = Policy.waves() / groups,
                         workgroups = max_of(Policy.waves_per_simd * 4 / Policy.waves(), 1), producers = 0,
                         reserved = 1024;  // of each workgroup, by hardware
    using atom = atom::along_k<atom::mma_sm80_transposed<In>>;
    using stream = block::weight_stream<Format, In, Policy.wave_tile.n, groups, Policy.block_tile.k / parts>;
    using step = block::weight_stream_step<stream, Policy.block_tile.m, groups, parts>;
    using sums = block::weight_stream_sums<step, Policy.block_tile.m>;
    static_assert(parts * groups == Policy.waves() && Policy.block_tile.k == step::depth);
    static constexpr int room = min_of(Arch::traits.lds_per_workgroup,
                                       Arch::traits.lds_per_cu / workgroups - reserved),
                         stages = min_of(room / step::bytes, max_weight_stages);
    template <class Block>
    using accumulator =
        wave::accumulator<Block, atom, Policy.block_tile.m / atom::m, Policy.wave_tile.n / atom::n>;
    static constexpr int shared_bytes = max_of(stages * step::bytes, sums::bytes);
    template <class Block>
    using product = block::weight_stream_product<Block, accumulator<Block>, Format, In, step, stages>;
};

/// By the unit that four waves share.
template <class Arch, class In, weight_format Format, gemm_policy Policy>
    requires(Policy.pipeline == block::pipeline_kind::unit_ring)
struct weight_stream_traits<Arch, In, Format, Policy> {
    static constexpr int groups = Policy.waves(), rows = Policy.block_tile.m,
                         workgroups = max_of(Policy.waves_per_simd * 4 / groups, 1), reserved = 1024;
    using atom = atom::wgmma_chained<In>;
    static constexpr int producers = 4;
    using stream =
        block::weight_stream<Format, In, Policy.wave_tile.n, groups, Policy.block_tile.k, producers>;
    static constexpr int tiles = 2 * block::weight_unit_rows<In, rows, stream::depth>::bytes;
    using step = block::weight_stream_step<stream, rows, groups, 1, tiles>;
    using sums = block::weight_stream_sums<step, rows>;
    static constexpr int room = min_of(Arch::traits.lds_per_workgroup,
                                       Arch::traits.lds_per_cu / workgroups - reserved) -
                                tiles,
                         stages = min_of(room / step::bytes, max_weight_stages);
    template <class Block>
    using accumulator = block::unit_accumulator<Block, atom, rows / atom::m, Policy.wave_tile.n / atom::n>;
    static constexpr int shared_bytes = max_of(tiles + stages * step::bytes, sums::bytes);
    template <class Block>
    using product = block::weight_unit_product<Block, accumulator<Block>, Format, In, step, stages>;
};

/// The parts of a tile's k that workgroups of a cluster sum.
template <class Block, class Args>
FADE_FN int rank_of(const Block& block, const Args& args) {
    return int(unsigned(block.id_x()) % unsigned(args.ranks));
}
template <gemm_policy Policy, class Block, class Args>
FADE_FN output_tile weight_tile_of(const Block& block, const Args& args) {
    const int number = int(unsigned(block.id_x()) / unsigned(args.ranks));
    return place_in_output<Policy>(
        args, block::split_of({walk_over_tiles<Policy, Block>(args).at(number), block.id_z()}, args.splits));
}

/// Sums of a part of k, for combine_partials.
template <class Sums, class Block, class Acc, class Args>
FADE_FN void store_partial_of_ranks(Block& block, Acc& acc, const Args& args, const output_tile& at,
                                    int rank) {
    auto* layer = args.partial + at.layer * args.m * args.n;
    const auto memory = block.global(layer + at.row * args.n + at.column, layer, layer + args.m * args.n);
    constexpr int run = Sums::in_runs ? 4 : 1;
    block::each_sum_of_ranks<run, Sums>(
        block, acc, at.rows, rank, args.ranks,
        [&](int row, int column, const vec<float, run>& sums) FADE_LAMBDA {
            memory.store(column < at.columns ? std::uint32_t((row * args.n + column) * 4) : backend::outside,
                         sums);
        });
}

/// Sums through the epilogue to D; a gate makes one element of two neighbours.
template <class Sums, class Block, class Acc, class Args>
FADE_FN void store_output_of_ranks(Block& block, Acc& acc, const Args& args, const output_tile& at,
                                   int rank) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>;
    const auto memory = block.global(args.d + at.row * args.ldd + at.column / joined, args.d,
                                     args.d + (args.m - 1) * args.ldd + args.n / joined);
    block::each_sum_of_ranks<joined, Sums>(
        block, acc, at.rows, rank, args.ranks, [&](int row, int column, const auto& sums) FADE_LAMBDA {
            const epilogue::position first = place_in_tile(args, at, row, column);
            out value;
            if constexpr (joined == 2)
                value = gated(args, up_to_gate(args, sums[0], first),
                              up_to_gate(args, sums[1], place_in_tile(args, at, row, column + 1)), first);
            else
                value = finished(args, sums[0], first);
            memory.store(first.inside ? std::uint32_t((row * args.ldd + column / joined) * index(sizeof(out)))
                                      : backend::outside,
                         value);
        });
}

/// Do four neighbours of D begin where a run of them may be stored?
template <class Args>
FADE_FN bool stores_fours(const Args& args) {
    constexpr index bytes = 4 * index(sizeof(*args.d));
    return args.ldd % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.d) % std::uintptr_t(bytes) == 0;
}

/// The same, but four neighbours of D in one store where they begin so. Columns come in eights.
template <class Sums, class Block, class Acc, class Args>
FADE_FN void store_runs_of_ranks(Block& block, Acc& acc, const Args& args, const output_tile& at, int rank) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>, count = 4 / joined;
    const auto memory = block.global(args.d + at.row * args.ldd + at.column / joined, args.d,
                                     args.d + (args.m - 1) * args.ldd + args.n / joined);
    const bool fours = joined == 1 && stores_fours(args);
    block::each_sum_of_ranks<4, Sums>(
        block, acc, at.rows, rank, args.ranks,
        [&](int row, int column, const vec<float, 4>& sums) FADE_LAMBDA {
            if (column >= at.columns) return;
            vec<out, count> values;
            for (int i = 0; i < count; ++i) {
                const epilogue::position first = place_in_tile(args, at, row, column + i * joined);
                if constexpr (joined == 2)
                    values[i] = gated(
                        args, up_to_gate(args, sums[2 * i], first),
                        up_to_gate(args, sums[2 * i + 1], place_in_tile(args, at, row, column + 2 * i + 1)),
                        first);
                else
                    values[i] = finished(args, sums[i], first);
            }
            const auto to = std::uint32_t((row * args.ldd + column / joined) * index(sizeof(out)));
            if (fours) return memory.store(to, values);
            for (int i = 0; i < count; ++i) memory.store(to + std::uint32_t(i * sizeof(out)), values[i]);
        });
}

template <gemm_policy Policy, weight_format Format, wave_workgroup Block, class Args>
FADE_FN void stream_weights(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = weight_stream_traits<typename Block::arch, in, Format, Policy>;
    using accumulator = typename traits::template accumulator<Block>;
    using sums = typename traits::sums;
    const int rank = rank_of(block, args);
    const output_tile at = weight_tile_of<Policy>(block, args);
    const index end = at.k_begin + at.k_count,
                share = block::share_of<index>(at.k_count, args.ranks, traits::stream::depth);
    const auto k = block::part_of<index>(at.k_begin, end, share, rank);
    output_tile own = at;
    own.k_begin = k.begin, own.k_count = k.end - k.begin;
    using product = typename traits::template product<Block>;
    if constexpr (!Block::emulated && Policy.pipeline == block::pipeline_kind::unit_ring)
        if (block.produces()) {
            product(block, operand_a(args, own), weights_at<Args, Format>(args, own), int(own.k_count))
                .bring(block);
            if (args.ranks > 1) block::producers_leave_cluster(block);
            return;
        }
    accumulator acc;
    wave::zero(block, acc);
    product(block, operand_a(args, own), weights_at<Args, Format>(args, own), int(own.k_count))
        .run(block, acc);
    if (args.splits > 1) return store_partial_of_ranks<sums>(block, acc, args, at, rank);
    if constexpr (sums::in_runs)
        epilogue::observed(args, [&](const Args& seen)
                                     FADE_LAMBDA { store_runs_of_ranks<sums>(block, acc, seen, at, rank); });
    else
        epilogue::observed(args, [&](const Args& seen) FADE_LAMBDA {
            store_output_of_ranks<sums>(block, acc, seen, at, rank);
        });
}

}  // namespace FADE_NAMESPACE::kernel

// The matrix multiplication of few rows: what counts is how fast B streams in. The waves of a workgroup take
// slices of k in turn, out of registers, and add up what they have at the end.
#pragma once
#include <fade/atom/along_k.hpp>
#include <fade/block/sliced_k/lines.hpp>
#include <fade/block/sliced_k/product.hpp>
#include <fade/block/sliced_k/sums.hpp>
#include <fade/kernel/gemm/body.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Arch, class In>
using sliced_atom = atom::along_k<typename atom::smallest<typename Arch::template atom<In>>::type>;

/// A workgroup's waves have the whole of its tile each, and share its k. The columns of a lane in `Joined`
/// neighbouring atoms lie together.
template <class Arch, class Atom, gemm_policy Policy, int Joined = 1>
struct sliced_k_traits {
    using atom = Atom;
    using columns = block::sliced_columns<Atom, Joined>;
    static constexpr int joined = Joined;
    static constexpr tile_shape tile = Policy.block_tile;
    static constexpr int of_a_wave = tile.k / Policy.waves(),
                         slices = of_a_wave / (atom::lane_k * atom::k_groups);
    static_assert(tile.m % atom::m == 0 && tile.n % (atom::n * Joined) == 0 &&
                  of_a_wave % (atom::lane_k * atom::k_groups) == 0);
    template <class Block>
    using accumulator = wave::accumulator<Block, atom, tile.m / atom::m, tile.n / atom::n>;
    static constexpr int shared_bytes =
        Policy.waves() * tile.m * tile.n * int(sizeof(typename atom::accumulator));
    static_assert(shared_bytes <= Arch::traits.lds_per_workgroup);
};

/// The sums of a part of k, for combine_partials.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_partial_of_waves(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using value = typename Acc::element;
    auto* layer = args.partial + tile.layer * args.m * args.n;
    const auto memory = block.global(layer + tile.row * args.n + tile.column, layer, layer + args.m * args.n);
    block::each_sum_of_waves<1, typename Traits::columns>(
        block, acc, [&](int row, int column, const vec<value, 1>& sum) FADE_LAMBDA {
            memory.store(row < tile.rows && column < tile.columns
                             ? std::uint32_t((row * args.n + column) * index(sizeof(value)))
                             : backend::outside,
                         sum[0]);
        });
}

/// Sums through the epilogue to D; two of them where that is a gate.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_output_of_waves(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>;
    const auto* layer = args.d + tile.batch * args.stride_d;
    const auto memory = block.global(layer + tile.row * args.ldd + tile.column / joined, layer,
                                     layer + (args.m - 1) * args.ldd + columns_of_output(args));
    block::each_sum_of_waves<joined, typename Traits::columns>(
        block, acc, [&](int row, int column, const auto& sums) FADE_LAMBDA {
            const epilogue::position at = place_in_tile(args, tile, row, column);
            out value;
            if constexpr (joined == 2)
                value = gated(args, up_to_gate(args, sums[0], at),
                              up_to_gate(args, sums[1], place_in_tile(args, tile, row, column + 1)), at);
            else
                value = finished(args, sums[0], at);
            memory.store(at.inside ? std::uint32_t((row * args.ldd + column / joined) * index(sizeof(out)))
                                   : backend::outside,
                         value);
        });
}

/// One tile of D, or its part of k, of two sources along k.
template <class Traits, wave_workgroup Block, class Args, class Sources>
FADE_FN void multiply_slices(Block& block, const Args& args, const output_tile& at, const Sources& from) {
    using accumulator = typename Traits::template accumulator<Block>;
    accumulator acc;
    wave::zero(block, acc);
    block::sliced_product<Block, accumulator, Traits::slices, Traits::joined, Sources>(block, from)
        .run(block, acc, int(at.k_count));
    if (args.splits > 1) return store_partial_of_waves<Traits>(block, acc, args, at);
    epilogue::observed(args, [&](const Args& own)
                                 FADE_LAMBDA { store_output_of_waves<Traits>(block, acc, own, at); });
}

/// D = epilogue(alpha * A B + beta * C) of few rows, A contiguous along k, B along k or along its columns.
template <gemm_policy Policy, gemm_access Access, wave_workgroup Block, class Args>
FADE_FN void gemm_of_few_rows(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using arch = typename Block::arch;
    using atom = sliced_atom<arch, in>;
    constexpr bool lines = Access.b == block::memory_order::row_contiguous;
    using traits = sliced_k_traits<arch, atom, Policy, lines ? block::line_patch<atom>::joined : 1>;
    for (const block::split_work& work :
         block::split_schedule(block, walk_over_tiles<Policy, Block>(args), args.splits)) {
        const output_tile at = place_in_output<Policy>(args, work);
        const auto a = operand_a(args, at);
        const auto b = operand_b(args, at);
        if constexpr (lines)
            multiply_slices<traits>(block, args, at, block::sources(a, block::operand_of_lines<in>(b)));
        else
            multiply_slices<traits>(block, args, at, block::sources(a, b));
    }
}

}  // namespace FADE_NAMESPACE::kernel

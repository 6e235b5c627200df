// The matrix multiplication of few rows: what counts is how fast B streams in. The waves of a workgroup take
// slices of k in turn, out of registers, and add up what they have at the end. Few columns of D are few rows
// of its transpose.
#pragma once
#include <fade/atom/along_k.hpp>
#include <fade/block/sliced_k/elements.hpp>
#include <fade/block/sliced_k/lines.hpp>
#include <fade/block/sliced_k/product.hpp>
#include <fade/block/sliced_k/sums.hpp>
#include <fade/kernel/gemm/body.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Arch, class In>
using sliced_atom = atom::along_k<typename atom::smallest<typename Arch::template atom<In>>::type>;

/// A workgroup's waves have all rows of its tile each, and share its k: all of them, or those of the same
/// columns. The columns of a lane in `Joined` neighbouring atoms lie together.
template <class Arch, class Atom, gemm_policy Policy, int Joined = 1>
struct sliced_k_traits {
    using atom = Atom;
    static constexpr int joined = Joined;
    static constexpr tile_shape tile = Policy.block_tile;
    static constexpr int groups = tile.n / Policy.wave_tile.n, of_columns = tile.n / groups;
    using columns = block::sliced_columns<Atom, Joined, groups>;
    static constexpr int of_a_wave = tile.k / (Policy.waves() / groups),
                         slices = of_a_wave / (atom::lane_k * atom::k_groups);
    static_assert(Policy.waves() % groups == 0 && tile.m % atom::m == 0 &&
                  of_columns % (atom::n * Joined) == 0 && of_a_wave % (atom::lane_k * atom::k_groups) == 0);
    template <class Block>
    using accumulator = wave::accumulator<Block, atom, tile.m / atom::m, of_columns / atom::n>;
    template <class Block, class Acc, class Sources>
    FADE_FN static void multiply(Block& block, Acc& acc, const Sources& from, int k_count) {
        block::sliced_product<Block, Acc, slices, Joined, Sources>(block, from).run(block, acc, k_count);
    }
    static constexpr int shared_bytes =
        Policy.waves() * tile.m * of_columns * int(sizeof(typename atom::accumulator));
    static_assert(shared_bytes <= Arch::traits.lds_per_workgroup);
};

/// How many elements lie from row to row and from column to column of a product whose D, or its sums, have
/// rows `pitch` apart.
struct sliced_steps {
    index row, column;
    FADE_FN constexpr index at(index r, index c) const { return r * row + c * column; }
};
template <class Args>
FADE_FN sliced_steps steps_of(const Args& args, index pitch) {
    return is_transposed(args) ? sliced_steps{1, pitch} : sliced_steps{pitch, 1};
}

/// The element of D by its row and column in a tile.
template <class Args>
FADE_FN epilogue::position place_in_output(const Args& args, const output_tile& tile, int row, int column) {
    const epilogue::position at = place_in_tile(args, tile, row, column);
    return is_transposed(args) ? epilogue::position{at.column, at.row, at.batch, at.inside} : at;
}

/// The sums of a part of k, for combine_partials.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_partial_of_waves(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using value = typename Acc::element;
    auto* layer = args.partial + tile.layer * args.m * args.n;
    const sliced_steps steps = steps_of(args, is_transposed(args) ? args.m : args.n);
    const auto memory = block.global(layer + steps.at(tile.row, tile.column), layer, layer + args.m * args.n);
    block::each_sum_of_waves<block::single_sums, typename Traits::columns>(
        block, acc, [&](int row, int column, const vec<value, 1>& sum) FADE_LAMBDA {
            memory.store(row < tile.rows && column < tile.columns
                             ? std::uint32_t(steps.at(row, column) * index(sizeof(value)))
                             : backend::outside,
                         sum[0]);
        });
}

/// Groups of sums through the epilogue to D: each is an element, or two of the product that a gate joins.
template <class Traits, block::sum_group Group, class Block, class Acc, class Args>
FADE_FN void store_groups_of_waves(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    const sliced_steps steps = steps_of(args, args.ldd);
    const auto* layer = args.d + tile.batch * args.stride_d;
    const auto memory =
        block.global(layer + steps.at(tile.row / Group.rows, tile.column / Group.columns), layer,
                     layer + steps.at(args.m / Group.rows - 1, args.n / Group.columns - 1) + 1);
    block::each_sum_of_waves<Group, typename Traits::columns>(
        block, acc, [&](int row, int column, const auto& sums) FADE_LAMBDA {
            const epilogue::position at = place_in_output(args, tile, row, column);
            out value;
            if constexpr (Group.count() == 2) {
                const epilogue::position next =
                    place_in_output(args, tile, row + Group.rows - 1, column + Group.columns - 1);
                value = gated(args, up_to_gate(args, sums[0], at), up_to_gate(args, sums[1], next), at);
            } else
                value = finished(args, sums[0], at);
            memory.store(at.inside ? std::uint32_t(steps.at(row / Group.rows, column / Group.columns) *
                                                   index(sizeof(out)))
                                   : backend::outside,
                         value);
        });
}

/// A gate joins neighbours in a row of D, which is a column here where the product is transposed.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_output_of_waves(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>;
    constexpr block::sum_group across{.columns = joined}, down{.rows = joined};
    if (joined > 1 && is_transposed(args))
        store_groups_of_waves<Traits, down>(block, acc, args, tile);
    else
        store_groups_of_waves<Traits, across>(block, acc, args, tile);
}

/// One tile of D, or its part of k, of two sources along k.
template <class Traits, wave_workgroup Block, class Args, class Sources>
FADE_FN void multiply_slices(Block& block, const Args& args, const output_tile& at, const Sources& from) {
    using accumulator = typename Traits::template accumulator<Block>;
    accumulator acc;
    wave::zero(block, acc);
    Traits::multiply(block, acc, from, int(at.k_count));
    if (args.splits > 1) return store_partial_of_waves<Traits>(block, acc, args, at);
    epilogue::observed(args, [&](const Args& own)
                                 FADE_LAMBDA { store_output_of_waves<Traits>(block, acc, own, at); });
}

/// A as waves that share k read it, and B.
template <gemm_access Access, class In>
FADE_FN auto sliced_rows_of(const block::operand<In>& a) {
    if constexpr (Access.a == block::memory_order::k_contiguous)
        return a;
    else
        return block::operand_of_elements<In>(a);
}
template <gemm_access Access, class Atom, class In>
FADE_FN auto sliced_columns_of(const block::operand<In>& b) {
    if constexpr (Access.b == block::memory_order::k_contiguous)
        return b;
    else if constexpr (Access.a == block::memory_order::k_contiguous)
        return block::operand_of_lines<In, 16 / int(sizeof(In))>(b);
    else
        return block::operand_of_bounded_lines<In, Atom::lane_k>(b);
}

/// D = epilogue(alpha * A B + beta * C) of few rows: B contiguous along k or along its columns, A along k or
/// read element by element.
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
        multiply_slices<traits>(block, args, at,
                                block::sources(sliced_rows_of<Access>(operand_a(args, at)),
                                               sliced_columns_of<Access, atom>(operand_b(args, at))));
    }
}

}  // namespace FADE_NAMESPACE::kernel

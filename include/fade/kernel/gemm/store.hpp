// The end of a matrix multiplication: accumulators through the epilogue to D.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/result/in_steps.hpp>
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/position.hpp>
#include <fade/kernel/gemm/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// The corner of D that a workgroup makes, and the part of k that it sums.
struct output_tile {
    index row, column, batch, layer;  ///< layer: batch and split in one
    index k_begin, k_count;
    int rows = 0, columns = 0;  ///< how many of the tile's exist in D; not counted on the host
};

/// The row of D that a row of the product is: the same, unless the arguments say otherwise.
template <class Args>
FADE_FN index row_of_output(const Args& args, index row) {
    if constexpr (requires { args.row_of_output(row); })
        return args.row_of_output(row);
    else
        return row;
}

/// alpha * sum + beta * C; with beta = 0 C is not read.
template <class Args>
FADE_FN auto scaled(const Args& args, typename Args::value sum, const epilogue::position& at) {
    using value = typename Args::value;
    const value product = wrapping_product(args.alpha, sum);
    if (args.beta == value(0)) return product;
    const value c = at.template load<value>(args.c, at.batch * args.stride_c + at.row * args.ldc + at.column);
    return wrapping_sum(product, wrapping_product(args.beta, c));
}

/// One element behind the epilogue, which sees it as a number of its own type.
template <class Args, class Sum>
FADE_FN auto finished_value(const Args& args, Sum sum, const epilogue::position& at) {
    const auto own = epilogue::corrected(args.epilogue, sum, at);
    return args.epilogue(scaled(args, typename Args::value(own), at), at);
}

/// The same as D's type holds it.
template <class Args, class Sum>
FADE_FN auto finished(const Args& args, Sum sum, const epilogue::position& at) {
    return convert<std::remove_cvref_t<decltype(*args.d)>>(finished_value(args, sum, at));
}

/// Do the results of a lane share one code? Activations of a large tile, one behind another, are more than
/// small caches of instructions hold.
template <class Block, class Acc, class Epilogue>
constexpr bool stores_in_steps() {
    constexpr int results = Acc::rows * Acc::columns * Acc::atom::d_size;
    return epilogue::is_long<Epilogue> || (arch::has_small_instruction_cache(Block::arch::traits) &&
                                           results >= 16 && epilogue::is_transcendental<Epilogue>);
}

/// Registers of an atom that share a step, so that few steps are branched to.
template <class Atom, class Epilogue>
constexpr int results_in_step() {
    if (epilogue::is_long<Epilogue>) return 1;
    return Atom::d_size % 4 == 0 ? 4 : 1;
}

/// Sums as they are, to rows of `pitch` elements in `memory`; in steps where the same kernel's results are,
/// so that compilers see a large tile once less.
template <class Traits, class Epilogue, class Block, class Acc, class Memory>
FADE_FN void store_plain_sums(Block& block, Acc& acc, const Memory& memory, int pitch,
                              const output_tile& tile) {
    using value = typename Acc::element;
    const auto store = [&](int row, int column, value sum) FADE_LAMBDA {
        memory.store(row < tile.rows && column < tile.columns
                         ? std::uint32_t(row * pitch + column) * std::uint32_t(sizeof(value))
                         : backend::outside,
                     sum);
    };
    if constexpr (stores_in_steps<Block, Acc, Epilogue>() && !epilogue::is_long<Epilogue>)
        block::each_result_in_steps<typename Traits::grid, results_in_step<typename Acc::atom, Epilogue>()>(
            block, acc, store);
    else
        block::each_result<typename Traits::grid, block::result_order::atoms>(block, acc, store);
}

/// What one of several workgroups that share k has summed, for combine_partials.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_partial(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    auto* layer = args.partial + tile.layer * args.m * args.n;
    store_plain_sums<Traits, decltype(Args::epilogue)>(
        block, acc, block.global(layer + tile.row * args.n + tile.column, layer, layer + args.m * args.n),
        int(args.n), tile);
}

/// The same of a part of stream-k, to its place.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_to_place(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    constexpr int elements = Traits::tile.m * Traits::tile.n;
    auto* place = args.partial + tile.layer * elements;
    store_plain_sums<Traits, decltype(Args::epilogue)>(
        block, acc, block.global(place, place, place + elements), Traits::tile.n, tile);
}

/// A number as Out holds it, by the instruction for pairs where there is one that rounds to nearest.
template <class Out, class Block, class Value>
FADE_FN Out held_as(Value value) {
    if constexpr (sizeof(Out) == 2 && std::is_same_v<Value, float> &&
                  requires { Block::template round_pair<Out>(value, value); })
        return Block::template round_pair<Out>(value, value)[0];
    else
        return convert<Out>(value);
}

/// Stores all atoms of all waves. Elements beyond D are computed and dropped.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_output(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    const index first = row_of_output(args, tile.row);
    const auto* base = args.d + tile.batch * args.stride_d + first * args.ldd + tile.column;
    const auto memory = block.global(base, args.d + tile.batch * args.stride_d,
                                     args.d + tile.batch * args.stride_d +
                                         row_of_output(args, args.m - 1) * args.ldd + args.n);
    const auto store = [&](int row, int column, auto sum) FADE_LAMBDA {
        const index line = row_of_output(args, tile.row + row);
        const epilogue::position at{line, tile.column + column, tile.batch,
                                    row < tile.rows && column < tile.columns};
        const out value = held_as<out, Block>(finished_value(args, sum, at));
        memory.store(at.inside ? std::uint32_t(((line - first) * args.ldd + column) * index(sizeof(out)))
                               : backend::outside,
                     value);
    };
    using stages = decltype(Args::epilogue);
    if constexpr (stores_in_steps<Block, Acc, stages>())
        block::each_result_in_steps<typename Traits::grid, results_in_step<typename Acc::atom, stages>()>(
            block, acc, store);
    else
        block::each_result<typename Traits::grid>(block, acc, store);
}

}  // namespace FADE_NAMESPACE::kernel

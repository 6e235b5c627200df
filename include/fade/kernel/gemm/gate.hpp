// The end of a matrix multiplication whose epilogue makes one column of D of two of the product.
#pragma once
#include <fade/epilogue/gate.hpp>
#include <fade/kernel/gemm/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// One column of the product up to the gate; beta is 0.
template <class Args, class Sum>
FADE_FN auto up_to_gate(const Args& args, Sum sum, const epilogue::position& at) {
    return epilogue::before_gate(args.epilogue, wrapping_product(args.alpha, typename Args::value(sum)), at);
}

/// Two of them, the left one at `at` of the product, as D's type holds what becomes of them.
template <class Args, class Value>
FADE_FN auto gated_value(const Args& args, Value left, Value right, const epilogue::position& at) {
    return epilogue::from_gate(args.epilogue, left, right, epilogue::behind<epilogue::gate>(at));
}
template <class Args, class Value>
FADE_FN auto gated(const Args& args, Value left, Value right, const epilogue::position& at) {
    return convert<std::remove_cvref_t<decltype(*args.d)>>(gated_value(args, left, right, at));
}

/// An element of the product by its row and column in a tile.
template <class Args>
FADE_FN epilogue::position place_in_tile(const Args& args, const output_tile& tile, int row, int column) {
    return {row_of_output(args, tile.row + row), tile.column + column, tile.batch,
            row < tile.rows && column < tile.columns};
}

/// As store_output; a tile begins in an even column.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_gated(Block& block, Acc& acc, const Args& args, const output_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    const index first = row_of_output(args, tile.row);
    const auto* layer = args.d + tile.batch * args.stride_d;
    const auto memory =
        block.global(layer + first * args.ldd + tile.column / 2, layer,
                     layer + row_of_output(args, args.m - 1) * args.ldd + columns_of_output(args));
    const auto made = [&](int row, int column, auto sum) FADE_LAMBDA {
        return up_to_gate(args, sum, place_in_tile(args, tile, row, column));
    };
    const auto store = [&](int row, int column, auto left, auto right) FADE_LAMBDA {
        const epilogue::position at = place_in_tile(args, tile, row, column);
        const out value = gated(args, left, right, at);
        memory.store(at.inside
                         ? std::uint32_t(((at.row - first) * args.ldd + column / 2) * index(sizeof(out)))
                         : backend::outside,
                     value);
    };
    if constexpr (epilogue::is_long<decltype(Args::epilogue)>)
        block::each_pair_in_steps<typename Traits::grid>(block, acc, made, store);
    else
        block::each_pair<typename Traits::grid>(block, acc, made, store);
}

}  // namespace FADE_NAMESPACE::kernel

// The second launch of a product whose k was shared, for epilogues that pair its columns or observe D.
#pragma once
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/combine.hpp>
#include <fade/kernel/gemm/gate.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class Args>
FADE_FN auto sum_of_parts(const Args& args, index batch, index at) {
    const index plane = args.m * args.n;
    accumulator_t<std::remove_cvref_t<decltype(*args.a)>> sum{};
    for (int s = 0; s < args.splits; ++s)
        sum = wrapping_sum(sum, args.partial[(batch * args.splits + s) * plane + at]);
    return sum;
}

/// Element `at` of D, counted along its rows, of two neighbours of the product.
template <class Args>
FADE_FN void combine_pair(const Args& args, index batch, index at) {
    const index row = 2 * at / args.n, column = 2 * at % args.n;
    const epilogue::position left{row_of_output(args, row), column, batch, true},
        right{left.row, column + 1, batch, true};
    const auto a = up_to_gate(args, sum_of_parts(args, batch, 2 * at), left),
               b = up_to_gate(args, sum_of_parts(args, batch, 2 * at + 1), right);
    args.d[batch * args.stride_d + left.row * args.ldd + column / 2] = gated(args, a, b, left);
}

template <class Block, class Args>
FADE_FN void combine_gated_partials(Block& block, const Args& args) {
    const index items = args.m * columns_of_output(args);
    for (const block::run_work& work : block::run_schedule(block, items, block::combine_run(args.splits)))
        block::each_of(block, work.items(), [&](index at) { combine_pair(args, work.layer, at); });
}

/// By the epilogue.
template <class Block, class Args>
FADE_FN void finish_partials(Block& block, const Args& args) {
    epilogue::observed(args, [&](const Args& own) {
        if constexpr (gates<Args>)
            combine_gated_partials(block, own);
        else
            combine_partials(block, own);
    });
}

}  // namespace FADE_NAMESPACE::kernel

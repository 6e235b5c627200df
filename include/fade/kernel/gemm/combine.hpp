// Adds up what workgroups that shared k have left, always in the same order, and finishes D.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/gate.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Elements of D that one workgroup finishes.
inline constexpr int combine_run = 1024;

template <class Args>
FADE_FN auto sum_of_parts(const Args& args, index batch, index at) {
    const index plane = args.m * args.n;
    accumulator_t<std::remove_cvref_t<decltype(*args.a)>> sum{};
    for (int s = 0; s < args.splits; ++s)
        sum = wrapping_sum(sum, args.partial[(batch * args.splits + s) * plane + at]);
    return sum;
}

template <class Args>
FADE_FN auto& output_at(const Args& args, const epilogue::position& of) {
    return args.d[of.batch * args.stride_d + of.row * args.ldd + of.column];
}

/// Element `at` of D, counted along its rows.
template <class Args>
FADE_FN void combine_element(const Args& args, index batch, index at) {
    if constexpr (gates<Args>) {
        const index row = 2 * at / args.n, column = 2 * at % args.n;
        const epilogue::position left{row_of_output(args, row), column, batch, true},
            right{left.row, column + 1, batch, true};
        const auto a = up_to_gate(args, sum_of_parts(args, batch, 2 * at), left),
                   b = up_to_gate(args, sum_of_parts(args, batch, 2 * at + 1), right);
        output_at(args, epilogue::behind<epilogue::gate>(left)) = gated(args, a, b, left);
    } else {
        const auto sum = sum_of_parts(args, batch, at);
        const epilogue::position where{row_of_output(args, at / args.n), at % args.n, batch, true};
        output_at(args, where) = finished(args, sum, where);
    }
}

template <class Block, class Args>
FADE_FN void combine_partials(Block& block, const Args& args) {
    const index first = index(block.id_x()) * combine_run,
                end = min_of<index>(first + combine_run, args.m * columns_of_output(args));
    epilogue::observed(args, [&](const Args& own) {
        block::each_of(block, block::item_range{first, end},
                       [&](index at) { combine_element(own, block.id_z(), at); });
    });
}

}  // namespace FADE_NAMESPACE::kernel

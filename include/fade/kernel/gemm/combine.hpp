// Adds up what workgroups that shared k have left, always in the same order, and finishes D.
#pragma once
#include <fade/block/ranges.hpp>
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

/// Element `at` of D, counted along its rows.
template <class Args>
FADE_FN void combine_element(const Args& args, index batch, index at) {
    const index columns = columns_of_output(args), row = row_of_output(args, at / columns);
    auto& to = args.d[batch * args.stride_d + row * args.ldd + at % columns];
    if constexpr (gates<Args>) {
        const auto part = [&](index further) {
            return up_to_gate(args, sum_of_parts(args, batch, 2 * at + further),
                              {row, at % columns * 2 + further, batch, true});
        };
        to = gated(args, part(0), part(1), {row, at % columns * 2, batch, true});
    } else
        to = finished(args, sum_of_parts(args, batch, at), {row, at % columns, batch, true});
}

template <class Block, class Args>
FADE_FN void combine_partials(Block& block, const Args& args) {
    const index first = index(block.id_x()) * combine_run,
                end = min_of<index>(first + combine_run, args.m * columns_of_output(args));
    block::each_of(block, block::item_range{first, end},
                   [&](index at) { combine_element(args, block.id_z(), at); });
}

}  // namespace FADE_NAMESPACE::kernel

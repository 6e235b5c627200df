// Adds up what workgroups that shared k have left, always in the same order, and finishes D.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Elements of D that one workgroup finishes.
inline constexpr int combine_run = 1024;

template <class Args>
FADE_FN void combine_element(const Args& args, index batch, index at) {
    const index plane = args.m * args.n;
    accumulator_t<std::remove_cvref_t<decltype(*args.a)>> sum{};
    for (int s = 0; s < args.splits; ++s)
        sum = wrapping_sum(sum, args.partial[(batch * args.splits + s) * plane + at]);
    const epilogue::position where{row_of_output(args, at / args.n), at % args.n, batch, true};
    args.d[batch * args.stride_d + where.row * args.ldd + where.column] = finished(args, sum, where);
}

template <class Block, class Args>
FADE_FN void combine_partials(Block& block, const Args& args) {
    const index first = index(block.id_x()) * combine_run,
                end = min_of<index>(first + combine_run, args.m * args.n);
    block::each_of(block, block::item_range{first, end},
                   [&](index at) { combine_element(args, block.id_z(), at); });
}

}  // namespace FADE_NAMESPACE::kernel

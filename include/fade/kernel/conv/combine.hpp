// Adds up many parts of few sums, as backward weights of many pixels leave them: lanes that took all parts of
// a sum each would be few, and wait for one load after another.
#pragma once
#include <fade/block/lane_groups.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/combine.hpp>

namespace FADE_NAMESPACE::kernel {

/// Sums of a workgroup, side by side; from so many parts on a workgroup's lanes share them.
inline constexpr int sums_in_groups = 32, parts_for_groups = 16;

/// Groups of lanes take every so many-th part, and the first adds up what they found, in their order.
template <class Block, class Args>
FADE_FN void combine_in_groups(Block& block, const Args& args) {
    using sum = typename partial_sums<Args>::sum_type;
    constexpr int lanes = sums_in_groups, groups = Block::threads / lanes;
    static_assert(groups >= 1 && groups <= parts_for_groups, "every group has a part");
    const index plane = args.m * args.n;
    for (const block::run_work& work : block::run_schedule(block, plane, lanes))
        block::fold_groups(
            block, {lanes, groups},
            [&](int lane, int group) FADE_LAMBDA {
                const index at = min_of(work.first + lane, work.end - 1);
                const int count = ceil_div(args.splits - group, groups);
                return block::sum_of_parts<sum, 16>(
                    block, partial_sums<Args>{args.partial + at + group * plane, groups * plane, count},
                    count);
            },
            [](sum a, sum b) FADE_LAMBDA { return wrapping_sum(a, b); },
            [&](int lane, sum all) FADE_LAMBDA {
                const index at = work.first + lane, row = at / args.n, column = at - row * args.n;
                if (at < work.end)
                    args.d[row * args.ldd + column] = finished(args, all, {row, column, 0, true});
            });
}

}  // namespace FADE_NAMESPACE::kernel

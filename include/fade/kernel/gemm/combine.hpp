// Adds up what workgroups that shared k have left, and finishes D.
#pragma once
#include <cstdint>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/gemm/combine_fours.hpp>
#include <fade/wave/keep.hpp>
#include <type_traits>
#include <utility>

namespace FADE_NAMESPACE::kernel {

/// The sums of one element of D, `next` apart.
template <class Args>
struct partial_sums {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(*std::declval<Args>().a)>>;
    /// What is long leaves too few scalar registers for a condition each.
    static constexpr bool crowded = epilogue::is_long<decltype(Args::epilogue)>;
    const sum_type* at;
    index next;
    int count;

    /// Beyond the last it is read again: an address goes on from the one before, since of all at once the
    /// offsets would fill the scalar registers.
    template <int AtOnce, class Block>
    FADE_FN void add(Block&, sum_type& sum) {
        const int left = crowded ? wave::kept<Block>(count) : count;
        const sum_type* from = at;
        sum_type found[AtOnce];
        unrolled<AtOnce>([&](int s) FADE_LAMBDA { found[s] = *from, from += s + 1 < count ? next : 0; });
        unrolled<AtOnce>([&](int s)
                             FADE_LAMBDA { sum = wrapping_sum(sum, s < left ? found[s] : sum_type{}); });
        at += AtOnce * next, count -= AtOnce;
    }
};

template <class Block, class Args>
FADE_FN void combine_partials(Block& block, const Args& args) {
    if constexpr (combines_fours<Block, Args>)
        if (args.n % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.partial) % 16 == 0)
            return combine_fours(block, args);
    using sum_type = typename partial_sums<Args>::sum_type;
    const index plane = args.m * args.n;
    for (const block::run_work& work : block::run_schedule(block, plane, block::combine_run(args.splits))) {
        const auto* first = args.partial + work.layer * (args.splits * plane);
        block::combine_items<sum_type>(
            block, work,
            [&](index at) FADE_LAMBDA { return partial_sums<Args>{first + at, plane, args.splits}; },
            [&](index at, sum_type sum) FADE_LAMBDA {
                const index row = at / args.n;
                const epilogue::position where{row_of_output(args, row), at - row * args.n, work.layer, true};
                args.d[work.layer * args.stride_d + where.row * args.ldd + where.column] =
                    finished(args, sum, where);
            });
    }
}

/// The same of the tiles that stream-k shared.
template <tile_shape Tile, class Block, class Args>
FADE_FN void combine_parts(Block& block, const Args& args, const block::tile_walk& walk) {
    using sum_type = typename partial_sums<Args>::sum_type;
    constexpr int elements = Tile.m * Tile.n;
    constexpr int run = block::combine_run(block::usual_sharers);
    for (const block::run_work& work : block::run_schedule(block, elements, run)) {
        const block::stream_k_shares& shares = args.shares;
        const int number = shares.whole + work.layer, batch = number / walk.count();
        const block::tile_index tile = walk.at(number - batch * walk.count());
        const auto sharers = shares.sharers(work.layer);
        const auto* first = args.partial + index(shares.place(sharers.begin, work.layer)) * elements;
        block::combine_items<sum_type>(
            block, work,
            [&](index at)
                FADE_LAMBDA { return partial_sums<Args>{first + at, elements, sharers.end - sharers.begin}; },
            [&](index at, sum_type sum) FADE_LAMBDA {
                const int in_row = int(at) / Tile.n, in_column = int(at) % Tile.n;
                const index row = index(tile.row) * Tile.m + in_row,
                            column = index(tile.column) * Tile.n + in_column;
                if (row < args.m && column < args.n)
                    args.d[batch * args.stride_d + row * args.ldd + column] =
                        finished(args, sum, {row, column, batch, true});
            });
    }
}

}  // namespace FADE_NAMESPACE::kernel

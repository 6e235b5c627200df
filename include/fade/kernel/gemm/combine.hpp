// Adds up what workgroups that shared k have left, and finishes D.
#pragma once
#include <cstdint>
#include <fade/block/schedule/combine.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/kernel/gemm/store.hpp>
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

/// The same of four neighbours of a row, which begin at a multiple of 16 bytes. What is added is what one
/// element's would be, in the same order.
template <class Args>
struct partial_fours {
    using sum_type = vec<typename partial_sums<Args>::sum_type, 4>;
    const typename partial_sums<Args>::sum_type* at;
    index next;
    int count;

    template <int AtOnce, class Block>
    FADE_FN void add(Block& block, sum_type& sum) {
        sum_type found[AtOnce];
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            found[s] = block.template load_anywhere<sum_type>(s < count, at + (s < count ? s : 0) * next);
        });
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < 4; ++i) sum[i] = wrapping_sum(sum[i], found[s][i]);
        });
        at += AtOnce * next, count -= AtOnce;
    }
};

/// Does an architecture finish four elements a lane? A stage that is looked up while the kernel runs would be
/// looked up by each of them.
template <class Block, class Args>
inline constexpr bool combines_fours =
    Block::arch::traits.tensor_maps && sizeof(typename partial_sums<Args>::sum_type) == 4 &&
    !epilogue::chosen_at_run_time<decltype(Args::epilogue)> && !epilogue::is_long<decltype(Args::epilogue)>;

/// Elements of D from (row, column) on that four sums make, of which `count` exist.
template <class Block, class Args, class Sums>
FADE_FN void finish_four(Block& block, const Args& args, int layer, index row, index column, int count,
                         const Sums& sums) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    vec<out, 4> result;
    FADE_UNROLL
    for (int i = 0; i < 4; ++i)
        result[i] = finished(args, sums[i], {row_of_output(args, row), column + i, layer, i < count});
    out* to = args.d + layer * args.stride_d + row_of_output(args, row) * args.ldd + column;
    if (count == 4 && reinterpret_cast<std::uintptr_t>(to) % sizeof(result) == 0)
        return block.global(to, to, to + 4).store(0, result);
    FADE_UNROLL
    for (int i = 0; i < 4; ++i)
        if (i < count) to[i] = result[i];
}

/// Rows are whole fours.
template <class Block, class Args>
FADE_FN void combine_fours(Block& block, const Args& args) {
    using parts = partial_fours<Args>;
    const index plane = args.m * args.n;
    for (const block::run_work& work :
         block::run_schedule(block, plane / 4, block::combine_run(args.splits) / 4)) {
        const auto* first = args.partial + work.layer * (args.splits * plane);
        block::combine_items<typename parts::sum_type, 8>(
            block, work, [&](index four) FADE_LAMBDA { return parts{first + four * 4, plane, args.splits}; },
            [&](index four, const auto& sums) FADE_LAMBDA {
                const bool near =
                    plane < (index(1) << 32);  // a division of 64 bits takes longer than all else
                const index at = four * 4,
                            row = near ? index(std::uint32_t(at) / std::uint32_t(args.n)) : at / args.n;
                finish_four(block, args, work.layer, row, at - row * args.n, 4, sums);
            });
    }
}

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

// Adds up what workgroups that shared k have left, four elements of D a lane, where such loads and stores are
// possible.
#pragma once
#include <cstdint>
#include <fade/block/schedule/combine.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>
#include <utility>

namespace FADE_NAMESPACE::kernel {

template <class Args>
using one_sum = accumulator_t<std::remove_cvref_t<decltype(*std::declval<Args>().a)>>;

/// The sums of four neighbours of a row of D, which begin at a multiple of 16 bytes, `next` apart. What is
/// added is what one element's would be, in the same order.
template <class Args>
struct partial_fours {
    using sum_type = vec<one_sum<Args>, 4>;
    const one_sum<Args>* at;
    index next;
    int count;

    template <int AtOnce, class Block>
    FADE_FN void add(Block& block, sum_type& sum) {
        sum_type found[AtOnce];
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            found[s] = block.template load_anywhere<sum_type>(s < count, at + (s < count ? s : 0) * next);
        });
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            unrolled<4>([&](int i) FADE_LAMBDA { sum[i] = wrapping_sum(sum[i], found[s][i]); });
        });
        at += index(AtOnce) * next, count -= AtOnce;
    }
};

/// Does an architecture finish four elements a lane? A stage that is looked up while the kernel runs would be
/// looked up by each of them.
template <class Block, class Args>
inline constexpr bool combines_fours =
    Block::arch::traits.tensor_maps && sizeof(one_sum<Args>) == 4 &&
    !epilogue::chosen_at_run_time<decltype(Args::epilogue)> && !epilogue::is_long<decltype(Args::epilogue)>;

/// Elements of D from (row, column) on that four sums make, of which `count` exist.
template <class Block, class Args, class Sums>
FADE_FN void finish_four(Block& block, const Args& args, int layer, index row, index column, int count,
                         const Sums& sums) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    vec<out, 4> result;
    unrolled<4>([&](int i) FADE_LAMBDA {
        result[i] = finished(args, sums[i], {row_of_output(args, row), column + i, layer, i < count});
    });
    out* to = args.d + layer * args.stride_d + row_of_output(args, row) * args.ldd + column;
    if (count == 4 && reinterpret_cast<std::uintptr_t>(to) % sizeof(result) == 0)
        return block.global(to, to, to + 4).store(0, result);
    unrolled<4>([&](int i) FADE_LAMBDA {
        if (i < count) to[i] = result[i];
    });
}

/// Rows are whole fours.
template <class Block, class Args>
FADE_FN void combine_fours(Block& block, const Args& args) {
    using parts = partial_fours<Args>;
    const index plane = args.m * args.n;
    for (const block::run_work& work :
         block::run_schedule(block, plane / 4, block::combine_run(args.splits) / 4)) {
        const auto* first = args.partial + index(work.layer) * args.splits * plane;
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

}  // namespace FADE_NAMESPACE::kernel

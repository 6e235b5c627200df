// Adds up the parts that backward weights leave: four sums a lane, whose loads are 16 bytes, and groups of
// lanes where parts are many. Lanes that took all parts of a sum each would be few, and wait for one load
// after another.
#pragma once
#include <cstdint>
#include <fade/block/lane_groups.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/combine.hpp>

namespace FADE_NAMESPACE::kernel {

/// Neighbours of a row that a lane adds up.
inline constexpr int sums_of_lane = 4;

/// Groups of lanes that take the parts of so many runs of neighbours in turn: each has two or three of them,
/// or more where groups would be workgroups that wait to be launched.
FADE_FN constexpr int groups_of_parts(int parts, index runs) {
    constexpr int max_groups = 32;
    constexpr index max_lanes = 1 << 17;  // four workgroups of 256 lanes a compute unit
    int out = 1;
    while (out < max_groups && 4 * out <= parts && 2 * out * runs <= max_lanes) out *= 2;
    return out;
}

template <class Sum>
struct neighbouring_sums {
    Sum of[sums_of_lane]{};

    FADE_FN friend neighbouring_sums operator+(neighbouring_sums a, const neighbouring_sums& b) {
        unrolled<sums_of_lane>([&](int i) FADE_LAMBDA { a.of[i] = wrapping_sum(a.of[i], b.of[i]); });
        return a;
    }
};

/// Of those neighbours the parts, `next` apart, as sum_of_parts adds them.
template <class Sum>
struct parts_of_neighbours {
    const Sum* at;
    index next;
    int count;

    template <int AtOnce, class Block>
    FADE_FN void add(Block&, neighbouring_sums<Sum>& sums) {
        const Sum* from = at;
        vec<Sum, sums_of_lane> found[AtOnce];
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            found[s] = *reinterpret_cast<const vec<Sum, sums_of_lane>*>(from);
            from += s + 1 < count ? next : 0;
        });
        unrolled<AtOnce>([&](int s) FADE_LAMBDA {
            unrolled<sums_of_lane>([&](int i) FADE_LAMBDA {
                sums.of[i] = wrapping_sum(sums.of[i], s < count ? found[s][i] : Sum{});
            });
        });
        at += AtOnce * next, count -= AtOnce;
    }
};

/// Groups of lanes take every so many-th part, and the first adds up what they found, in their order. D has
/// fewer than 2^31 elements, its rows are whole runs of four and lie one behind the other, and it and the
/// parts begin at multiples of four of their elements.
template <class Block, class Args>
FADE_FN void combine_in_groups(Block& block, const Args& args) {
    using sum = typename partial_sums<Args>::sum_type;
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sums = neighbouring_sums<sum>;
    const index plane = args.m * args.n, runs = plane / sums_of_lane;
    const int groups = groups_of_parts(args.splits, runs), lanes = Block::threads / groups;
    for (const block::run_work& work : block::run_schedule(block, runs, lanes))
        block::fold_groups(
            block, {lanes, groups},
            [&](int lane, int group) FADE_LAMBDA {
                const index at = min_of(work.first + lane, work.end - 1) * sums_of_lane;
                const int count = ceil_div(args.splits - group, groups);
                const parts_of_neighbours<sum> parts{args.partial + at + group * plane, groups * plane,
                                                     count};
                return block::sum_of_parts<sums, 8>(block, parts, count);
            },
            [](const sums& a, const sums& b) FADE_LAMBDA { return a + b; },
            [&](int lane, const sums& all) FADE_LAMBDA {
                if (work.first + lane >= work.end) return;
                // Divisions of 64 bits would take as long as all else.
                const auto at = std::uint32_t(work.first + lane) * sums_of_lane, n = std::uint32_t(args.n),
                           row = at / n;
                vec<out, sums_of_lane> results;
                unrolled<sums_of_lane>([&](int i) FADE_LAMBDA {
                    results[i] = finished(args, all.of[i], {index(row), index(at - row * n) + i, 0, true});
                });
                *reinterpret_cast<vec<out, sums_of_lane>*>(args.d + at) = results;
            });
}

}  // namespace FADE_NAMESPACE::kernel

// What the waves that share k have summed of a tile, and the workgroups of a cluster, added up.
#pragma once
#include <cstdint>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// In shared memory: rows of D for each part of k, so far apart that lanes of a wave touch different banks,
/// and those of the workgroup behind them where there are several.
template <class Step, int Rows>
struct weight_stream_sums {
    using step = Step;
    static constexpr bool in_runs = Step::parts == 1;  ///< a rank's runs of four, and what is stored
    static constexpr int columns = Step::groups * Step::stream::patches * 8 * Step::stream::together,
                         pitch = columns + 4, part_bytes = Rows * pitch * 4,
                         ranks_part = Step::parts > 1 ? Step::parts : 0,
                         bytes = (ranks_part + 1) * part_bytes,
                         max_ranks = 8;  ///< a cluster that every GPU can launch
    using four = vec<float, 4>;
    FADE_FN static constexpr std::uint32_t place(int part, int row, int column) {
        return std::uint32_t(part * part_bytes + (row * pitch + column) * 4);
    }
};

/// Each lane's sums of its part of k.
template <class Sums, class Block, class Acc>
FADE_FN void leave_sums(Block& block, Acc& acc, int rows) {
    using stream = typename Sums::step::stream;
    constexpr int together = stream::together, groups = Sums::step::groups;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int r = 0; r < 2; ++r) {
            const int row = i * 8 + p.lane % 4 * 2 + r;
            if (row >= rows) continue;
            FADE_UNROLL
            for (int c = 0; c < Acc::columns; c += 2) {
                const auto &a = acc.at(p, i, c), &b = acc.at(p, i, c + 1);
                const int column = (p.wave % groups * stream::patches + c * 2 / together) * 8 * together +
                                   p.lane / 4 * together + c * 2 % together;
                block.store_shared(p, Sums::place(p.wave / groups, row, column),
                                   typename Sums::four{{a[2 * r], a[2 * r + 1], b[2 * r], b[2 * r + 1]}});
            }
        }
    });
    block.sync();
}

namespace detail {

/// Adds in place, element by element.
template <int N>
FADE_FN void add_to(vec<float, N>& to, const vec<float, N>& more) {
    FADE_UNROLL
    for (int i = 0; i < N; ++i) to[i] += more[i];
}

/// Four neighbours of a row, over the parts of k in their order. After leave_sums(), one lane's call.
template <class Sums, class Block>
FADE_FN typename Sums::four sums_of_parts(Block& block, lane_coord p, int row, int column) {
    using four = typename Sums::four;
    four sums = block.template load_shared<four>(p, Sums::place(0, row, column));
    FADE_UNROLL
    for (int part = 1; part < Sums::step::parts; ++part)
        add_to(sums, block.template load_shared<four>(p, Sums::place(part, row, column)));
    return sums;
}

/// Four neighbours of a row, over the workgroups of a cluster in their order. One lane's call, between
/// meet_cluster() and leave_cluster(), of sums that each workgroup has put behind its parts.
template <class Sums, class Block>
FADE_FN typename Sums::four sums_of_cluster(Block& block, lane_coord p, int row, int column, int rank,
                                            int ranks) {
    using four = typename Sums::four;
    const std::uint32_t at = Sums::place(Sums::ranks_part, row, column);
    four of[Sums::max_ranks];  // all of them are on their way before the first is added
    FADE_UNROLL
    for (int r = 0; r < Sums::max_ranks; ++r)
        if (r < ranks)
            of[r] = r == rank ? block.template load_shared<four>(p, at)
                              : block.template load_of_cluster<four>(p, r, at);
    four sums = of[0];
    FADE_UNROLL
    for (int r = 1; r < Sums::max_ranks; ++r)
        if (r < ranks) add_to(sums, of[r]);
    return sums;
}

/// Calls use(p, row, column) for the `rank`th of `ranks` parts of all runs of four neighbours, or for every
/// `ranks`th from the `rank`th on: spread over all lanes, which call it together.
template <class Sums, class Block, class F>
FADE_FN void each_run_of_four(Block& block, int rows, int rank, int ranks, F use) {
    constexpr int runs = Sums::columns / 4;
    if constexpr (Sums::in_runs) {
        const int share = ceil_div(rows * runs, ranks), end = min_of((rank + 1) * share, rows * runs);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_ROLLED
            for (int n = rank * share + p.wave * Block::wave_size + p.lane; n < end; n += Block::threads)
                use(p, n / runs, n % runs * 4);
        });
    } else
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_ROLLED
            for (int n = (p.wave * Block::wave_size + p.lane) * ranks + rank; n < rows * runs;
                 n += Block::threads * ranks)
                use(p, n / runs, n % runs * 4);
        });
}

}  // namespace detail

/// Calls f(row, column, sums) for groups of neighbours in a row, `rank` of `ranks` for its part of them:
/// added in the order of the parts and of the ranks, so that the same bits come out each time. All waves of
/// all ranks call it.
template <int Group, class Sums, class Block, class Acc, class F>
FADE_FN void each_sum_of_ranks(Block& block, Acc& acc, int rows, int rank, int ranks, F f) {
    using four = typename Sums::four;
    leave_sums<Sums>(block, acc, rows);
    const auto finish = [&](int row, int column, const four& sums) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < 4; i += Group) {
            vec<float, Group> some;
            FADE_UNROLL
            for (int g = 0; g < Group; ++g) some[g] = sums[i + g];
            f(row, column + i, some);
        }
    };
    if (ranks == 1)
        return detail::each_run_of_four<Sums>(
            block, rows, 0, 1, [&](lane_coord p, int row, int column) FADE_LAMBDA {
                finish(row, column, detail::sums_of_parts<Sums>(block, p, row, column));
            });
    if constexpr (Sums::ranks_part > 0)
        detail::each_run_of_four<Sums>(block, rows, 0, 1, [&](lane_coord p, int row, int column) FADE_LAMBDA {
            block.store_shared(p, Sums::place(Sums::ranks_part, row, column),
                               detail::sums_of_parts<Sums>(block, p, row, column));
        });
    block.meet_cluster();
    const auto share = [&](int own) FADE_LAMBDA {
        detail::each_run_of_four<Sums>(
            block, rows, own, ranks, [&](lane_coord p, int row, int column) FADE_LAMBDA {
                finish(row, column, detail::sums_of_cluster<Sums>(block, p, row, column, rank, ranks));
            });
    };
    // Emulated, workgroups run one after another, so the last one has the parts of all.
    if constexpr (Block::emulated) {
        for (int own = 0; own < ranks && rank == ranks - 1; ++own) share(own);
    } else
        share(rank);
    block.leave_cluster();
}

}  // namespace FADE_NAMESPACE::block

// Sums that the workgroups of a cluster add up: each keeps its own in its shared memory, and finishes some
// rows of all.
#pragma once
#include <fade/block/box/store.hpp>
#include <fade/core/number/wrap.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// The sums of a tile in the shared memory of each of Ranks workgroups: boxes of 64 rows of 128 bytes.
template <class Sum, int Rows, int Columns, int Ranks>
struct cluster_sums {
    using element = Sum;
    static constexpr int ranks = Ranks, rows = Rows, columns = Columns, runs = Columns / 8, box_rows = 64,
                         box_bytes = box_rows * 128, of_box = 128 / int(sizeof(Sum)),
                         passes = Columns / of_box, bytes = Rows / box_rows * passes * box_bytes;
    std::uint32_t base;  ///< of shared memory
    FADE_FN std::uint32_t box(int group, int pass) const {
        return base + std::uint32_t((group * passes + pass) * box_bytes);
    }
    /// As box_staging's: rows of eight lie in different banks.
    template <class T>
    FADE_FN static std::uint32_t offset(int row, int eighth, int further) {
        return box_offset_of<T>(row, eighth, further);
    }
    /// Four neighbours of a row of the tile.
    FADE_FN std::uint32_t place(int row, int column) const {
        return box(row / box_rows, column / of_box) +
               offset<Sum>(row % box_rows, column % of_box / 8 * 8, column % 8);
    }
};

/// This workgroup's sums, of all columns.
template <class Sums, class Block, class Acc>
FADE_FN void keep_sums(Block& block, Acc& acc, const Sums& sums) {
    using sum = typename Sums::element;
    unrolled<Sums::passes>([&](int pass) FADE_LAMBDA {
        fill_box<sum>(block, acc, sums, pass, [](int, int, sum x) FADE_LAMBDA { return x; });
    });
}

/// Eight neighbours of a row, added up in the order of the ranks, of which this workgroup is `own`.
template <class Sums, class Block>
FADE_FN vec<typename Sums::element, 8> added_up(Block& block, lane_coord p, const Sums& sums, int own,
                                                int row, int column) {
    using four = vec<typename Sums::element, 4>;
    four parts[Sums::ranks][2];
    FADE_UNROLL
    for (int rank = 0; rank < Sums::ranks; ++rank) FADE_UNROLL
    for (int half = 0; half < 2; ++half) {
        const std::uint32_t at = sums.place(row, column + half * 4);
        parts[rank][half] = rank == own ? block.template load_shared<four>(p, at)
                                        : block.template load_of_cluster<four>(p, rank, at);
    }
    vec<typename Sums::element, 8> out;
    FADE_UNROLL
    for (int i = 0; i < 8; ++i) {
        out[i] = parts[0][i / 4][i % 4];
        FADE_UNROLL
        for (int rank = 1; rank < Sums::ranks; ++rank)
            out[i] = wrapping_sum(out[i], parts[rank][i / 4][i % 4]);
    }
    return out;
}

/// f(row, column, sums) for eight neighbours at a time of the rows of a rank: every so many-th of those that
/// exist, since a tile may have few.
template <class Sums, class Block, class F>
FADE_FN void each_run_of_rank(Block& block, const Sums& sums, int own, int rank, int rows, F f) {
    const int count = rows <= rank ? 0 : (rows - rank + Sums::ranks - 1) / Sums::ranks * Sums::runs;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_ROLLED
        for (int n = p.wave * Block::wave_size + p.lane; n < count; n += Block::threads) {
            const int row = n / Sums::runs * Sums::ranks + rank, column = n % Sums::runs * 8;
            f(row, column, added_up(block, p, sums, own, row, column));
        }
    });
}

/// Emulated, workgroups run one after another, so the last one has the rows of all.
template <class Sums, class Block, class F>
FADE_FN void each_run_of_cluster(Block& block, const Sums& sums, int rank, int rows, F f) {
    if constexpr (Block::emulated) {
        for (int r = 0; r < Sums::ranks && rank == Sums::ranks - 1; ++r)
            each_run_of_rank(block, sums, rank, r, rows, f);
    } else
        each_run_of_rank(block, sums, rank, rank, rows, f);
}

/// Stores f(row, column, sum) of this workgroup's rows. The target is as that of store_rows.
template <class Out, class Sums, class Block, class Target, class F>
FADE_FN void store_cluster_rows(Block& block, const Sums& sums, int rank, const Target& target, F f) {
    using sum = typename Sums::element;
    constexpr int run = min_of(16 / int(sizeof(Out)), 8);
    const auto memory = target.memory(block);
    each_run_of_cluster(block, sums, rank, target.rows,
                        [&](int row, int column, const vec<sum, 8>& all) FADE_LAMBDA {
                            FADE_UNROLL
                            for (int first = 0; first < 8; first += run) {
                                vec<sum, run> some;
                                FADE_UNROLL
                                for (int i = 0; i < run; ++i) some[i] = all[first + i];
                                store_run<Out>(target, memory, row, column + first, some, f);
                            }
                        });
}

/// Stores f(row, column, left, right) of neighbours, column being the even one, to half as many columns.
template <class Out, class Sums, class Block, class Target, class F>
FADE_FN void store_cluster_pairs(Block& block, const Sums& sums, int rank, const Target& target, F f) {
    using sum = typename Sums::element;
    const auto memory = target.memory(block);
    each_run_of_cluster(block, sums, rank, target.rows,
                        [&](int row, int column, const vec<sum, 8>& all) FADE_LAMBDA {
                            using value = decltype(f(row, column, all[0], all[1]));
                            vec<value, 4> results;
                            FADE_UNROLL
                            for (int i = 0; i < 4; ++i)
                                results[i] = f(row, column + 2 * i, all[2 * i], all[2 * i + 1]);
                            store_run<Out>(target, memory, row, column / 2, results,
                                           [](int, int, value x) FADE_LAMBDA { return x; });
                        });
}

}  // namespace FADE_NAMESPACE::block

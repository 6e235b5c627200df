// What tiles by boxes take on an H200, which was timed (bench/experiments.md).
#pragma once
#include <cstdint>
#include <fade/block/schedule/persistent.hpp>
#include <fade/block/schedule/stream_k.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/tune/gemm/expected_tiles.hpp>
#include <fade/tune/gemm/shares.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// Microseconds of one kind of tiles of 16-bit types: of a launch, of a tile's beginning and end, of a step
/// of 64 k, and what that takes more where rows of A or B do not begin at lines of 128 bytes and all compute
/// units are busy. Lines through the times of 73 random products; of 72 others 66 choices took at most 5 %
/// more than the best of these kernels. Sums that workgroups of a cluster exchange are part of those times.
struct tile_times {
    int m, n, cluster, cluster_k;
    double launch, tile, step, between_lines;
};
inline constexpr tile_times timed_tiles[] = {
    {128, 256, 2, 1, 2.23, 2.29, 0.573, 0.149}, {128, 192, 2, 1, 1.94, 2.29, 0.434, 0.123},
    {128, 128, 1, 1, 1.78, 1.31, 0.306, 0.239}, {64, 128, 1, 1, 1.76, 1.01, 0.187, 0.179},
    {128, 128, 1, 2, 5.92, 0, 0.321, 0.288},    {64, 64, 1, 2, 0, 3.68, 0.159, 0.133},
    {64, 64, 1, 4, 3.6, 0, 0.16, 0.191},
};

/// What parts of k take beside that: a second launch, and what is stored and read again of a million sums.
struct parts_times {
    double launch, million;
};
inline constexpr parts_times timed_parts{2.0, 3.0};

/// Those of a policy; null where nobody timed it.
constexpr const tile_times* times_of(const gemm_policy& policy) {
    if (policy.pipeline != block::pipeline_kind::tma_ring || policy.block_tile.k != 64) return nullptr;
    for (const tile_times& t : timed_tiles)
        if (t.m == policy.block_tile.m && t.n == policy.block_tile.n && t.cluster == policy.cluster &&
            t.cluster_k == policy.cluster_k)
            return &t;
    return nullptr;
}

/// Clusters that find room at once.
inline int room_for_clusters(const gemm_policy& policy, int compute_units) {
    const int workgroups = policy.cluster * policy.cluster_k;
    return block::units_for_clusters(compute_units, workgroups) / workgroups;
}

/// Clusters that a product of so many parts of k takes.
inline index clusters_of(const gemm_policy& policy, const gemm_problem& p, int parts) {
    const index rows = ceil_div<index>(p.m, policy.block_tile.m),
                columns = ceil_div<index>(p.n, policy.block_tile.n);
    const int beside = block::cluster_columns(rows, columns, policy.cluster);
    return ceil_div<index>(columns, beside) * ceil_div<index>(rows, policy.cluster / beside) * p.batch *
           parts;
}

/// Tiles, or parts of their k, that the busiest compute unit makes; there is room for a cluster.
inline index rounds_of_tiles(const gemm_policy& policy, const gemm_problem& p, int compute_units,
                             int parts = 1) {
    return ceil_div<index>(clusters_of(policy, p, parts), room_for_clusters(policy, compute_units));
}

/// Do rows of an operand begin between lines of 128 bytes of 16-bit types?
constexpr bool begins_between_lines(const gemm_problem& p) { return p.lda % 64 != 0 || p.ldb % 64 != 0; }

/// Of a step, where such a share of the compute units is busy.
inline double us_of_step(const tile_times& t, const gemm_problem& p, double busy) {
    return t.step + (begins_between_lines(p) ? t.between_lines * min_of(busy, 1.0) : 0);
}
/// Of so many sums that are stored, and added up by a second launch.
inline double us_of_sums(double count) { return timed_parts.launch + timed_parts.million * 1e-6 * count; }

/// Microseconds that a product with tiles is expected to take; the policy was timed, and there is room for a
/// cluster.
inline double expected_us(const gemm_policy& policy, const gemm_problem& p, int compute_units,
                          int parts = 1) {
    const tile_times& t = *times_of(policy);
    const index steps =
        ceil_div<index>(ceil_div<index>(p.k, policy.block_tile.k), index(policy.cluster_k) * parts);
    const auto rounds = double(rounds_of_tiles(policy, p, compute_units, parts)),
               busy = double(tiles_of(policy, p) * policy.cluster_k * parts) / (rounds * compute_units);
    const double sums = parts > 1 ? us_of_sums(double(p.m) * double(p.n) * double(p.batch) * parts) : 0;
    return t.launch + rounds * (t.tile + double(max_of<index>(steps, 1)) * us_of_step(t, p, busy)) + sums;
}

/// The same where clusters share the last tiles.
inline double expected_us_of_tail(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const tile_times& t = *times_of(policy);
    const index clusters = clusters_of(policy, p, 1),
                steps = max_of<index>(ceil_div<index>(p.k, policy.block_tile.k), 1);
    const auto shares = block::stream_k_shares::of(
        clusters, steps, min_of<index>(clusters * steps, room_for_clusters(policy, compute_units)));
    const double rounds = double(shares.whole / shares.workgroups),
                 sums = double(shares.places()) * policy.cluster * policy.block_tile.m * policy.block_tile.n;
    return t.launch + (rounds + 1) * t.tile + (rounds * double(steps) + shares.share) * us_of_step(t, p, 1) +
           us_of_sums(sums);
}

/// Tiles of a policy that was timed, with as many parts of k as asked, or (0) as end first of those that are
/// one round, or two, or what clusters share of the last tiles.
inline expected_tiles timed_tiles_of(size_class size, const gemm_policy& policy, const gemm_problem& p,
                                     int split_k, int compute_units) {
    const auto in_parts = [&](index asked) {
        const int parts = splits_for(policy, p, int(asked), compute_units);
        return expected_tiles{size, policy, parts, expected_us(policy, p, compute_units, parts)};
    };
    expected_tiles best = in_parts(max_of(split_k, 1));
    if (split_k != 0) return best;
    const index steps = ceil_div<index>(p.k, policy.block_tile.k) / (4 * policy.cluster_k),
                room = room_for_clusters(policy, compute_units), clusters = clusters_of(policy, p, 1);
    for (const int rounds : {1, 2}) {
        const index parts = min_of<index>(rounds * room / clusters, steps);
        if (parts <= best.parts) continue;
        if (const expected_tiles other = in_parts(parts); ends_before(other, best)) best = other;
    }
    if (policy.cluster_k == 1 && clusters % room != 0 && p.k > 0)
        if (const expected_tiles tail{size, policy, 1, expected_us_of_tail(policy, p, compute_units), true};
            ends_before(tail, best))
            best = tail;
    return best;
}

/// "128x256 in 2 rounds"
inline std::string rounds_words(const expected_tiles& tiles, const gemm_problem& p, int compute_units) {
    const gemm_policy& policy = tiles.policy;
    const index rounds = rounds_of_tiles(policy, p, compute_units, tiles.parts);
    if (tiles.shares_tail)
        return std::to_string(policy.block_tile.m) + "x" + std::to_string(policy.block_tile.n) +
               ", the last ones shared";
    return std::to_string(policy.block_tile.m) + "x" + std::to_string(policy.block_tile.n) +
           (policy.cluster_k > 1 ? ", k shared by " + std::to_string(policy.cluster_k) : "") +
           (tiles.parts > 1 ? ", k in " + std::to_string(tiles.parts) + " parts" : "") + " in " +
           std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
}
inline std::string us_words(double us) {
    const auto tenths = std::int64_t(us * 10 + 0.5);
    return (tenths < 100 ? std::to_string(tenths / 10) + "." + std::to_string(tenths % 10)
                         : std::to_string(std::int64_t(us + 0.5))) +
           " us";
}

}  // namespace FADE_NAMESPACE::tune

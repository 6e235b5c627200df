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
/// of 64 k, what that takes more where rows of A or B do not begin at lines of 128 bytes and all compute
/// units are busy, of parts of k (their second launch, and a million sums that are stored and read again),
/// and of a megabyte of A and B. Lines through the times of 1200 random products: of these very products
/// 994 of the 1161 choices that were timed took at most 5 % more than the best of these kernels, and of 1200
/// others the choices reach 0.811 of cublasLt's speed with one part, 0.850 with parts. Sums that workgroups
/// of a cluster exchange are part of those times.
struct tile_times {
    int m, n, cluster, cluster_k;
    double launch, tile, step, between_lines, parts, million, megabyte;
};
inline constexpr tile_times timed_tiles[] = {
    {128, 256, 2, 1, 2.3, 2.67, 0.561, 0.085, 2.21, 1.31, 0.061},
    {128, 192, 2, 1, 2.03, 2.51, 0.419, 0.085, 2.1, 1.23, 0.087},
    {128, 128, 4, 1, 2.47, 1.62, 0.276, 0.052, 1.81, 1.37, 0.076},
    {128, 128, 1, 1, 1.84, 1.55, 0.286, 0.166, 1.69, 1.54, 0.094},
    {64, 128, 1, 1, 1.47, 1.39, 0.154, 0.152, 1.52, 1.44, 0.126},
    {64, 64, 1, 1, 1.6, 0.92, 0.135, 0.092, 1.31, 1.46, 0.108},
    {128, 128, 1, 2, 2, 3.83, 0.275, 0.186, 1.35, 2.89, 0.104},
    {64, 64, 1, 2, 0.79, 2.62, 0.134, 0.106, 1.49, 0.86, 0.165},
    {64, 64, 1, 4, 0.61, 2.88, 0.112, 0.101, 1.02, 6.55, 0.225},
};

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

/// How much longer the steps of workgroups alone take from 2048 to 8192 k on, as more than half of the
/// compute units are busy: a tenth where all are.
inline double slowed_by_depth(const tile_times& t, double k, double busy) {
    if (t.cluster * t.cluster_k > 1) return 1;
    const double deep = min_of(max_of((k - 2048) / 6144, 0.0), 1.0),
                 full = max_of(2 * min_of(busy, 1.0) - 1, 0.0);
    return 1 + 0.1 * deep * full;
}
/// Of a step of so many parts of k, where such a share of the compute units is busy.
inline double us_of_step(const tile_times& t, const gemm_problem& p, double busy, int parts = 1) {
    return slowed_by_depth(t, double(p.k) / parts, busy) *
           (t.step + (begins_between_lines(p) ? t.between_lines * min_of(busy, 1.0) : 0));
}
/// Of A and B, and how much longer all takes where workgroups alone read them past tiles of which the last of
/// two or three lies half beyond D: boxes of rows that do not exist take longer.
inline double megabytes_of(const gemm_problem& p) {
    return 2e-6 * double(p.m + p.n) * double(p.k) * double(p.batch);
}
inline double slowed_by_edges(const gemm_policy& policy, const gemm_problem& p) {
    const auto beyond = [](index size, int tile) {
        const index last = size % tile;
        return size > tile && size < 3 * tile && last > 0 && 5 * last <= 3 * tile;
    };
    const bool slow = policy.cluster == 1 && megabytes_of(p) >= 8 &&
                      (beyond(p.m, policy.block_tile.m) || beyond(p.n, policy.block_tile.n));
    return slow ? 1.2 : 1;
}
/// Of so many sums that are stored, and added up by a second launch.
inline double us_of_sums(const tile_times& t, double count) { return t.parts + t.million * 1e-6 * count; }

/// Microseconds that a product with tiles is expected to take; the policy was timed, and there is room for a
/// cluster.
inline double expected_us(const gemm_policy& policy, const gemm_problem& p, int compute_units,
                          int parts = 1) {
    const tile_times& t = *times_of(policy);
    const index steps =
        ceil_div<index>(ceil_div<index>(p.k, policy.block_tile.k), index(policy.cluster_k) * parts);
    const auto rounds = double(rounds_of_tiles(policy, p, compute_units, parts)),
               busy = double(tiles_of(policy, p) * policy.cluster_k * parts) / (rounds * compute_units);
    const double sums = parts > 1 ? us_of_sums(t, double(p.m) * double(p.n) * double(p.batch) * parts) : 0;
    return slowed_by_edges(policy, p) *
           (t.launch + rounds * (t.tile + double(max_of<index>(steps, 1)) * us_of_step(t, p, busy, parts)) +
            sums + t.megabyte * megabytes_of(p));
}

/// Steps of a tile.
inline index steps_of(const gemm_policy& policy, const gemm_problem& p) {
    return max_of<index>(ceil_div<index>(p.k, policy.block_tile.k), 1);
}
/// How clusters share the last tiles; D has elements.
inline block::stream_k_shares shares_of_tail(const gemm_policy& policy, const gemm_problem& p,
                                             int compute_units) {
    const index clusters = clusters_of(policy, p, 1), steps = steps_of(policy, p),
                room = max_of(room_for_clusters(policy, compute_units), 1);
    return block::stream_k_shares::of(clusters, steps, min_of<index>(clusters * steps, room));
}
/// Are the steps of those so few that kernels count them?
inline bool counts_tail(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const index shared = shares_of_tail(policy, p, compute_units).shared;
    return shared * steps_of(policy, p) < (index(1) << 30);
}

/// The same time where clusters share the last tiles.
inline double expected_us_of_tail(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const tile_times& t = *times_of(policy);
    const index steps = steps_of(policy, p);
    const auto shares = shares_of_tail(policy, p, compute_units);
    const double rounds = double(shares.whole / shares.workgroups),
                 sums = double(shares.places()) * policy.cluster * policy.block_tile.m * policy.block_tile.n;
    return t.launch + (rounds + 1) * t.tile + (rounds * double(steps) + shares.share) * us_of_step(t, p, 1) +
           us_of_sums(t, sums) + t.megabyte * megabytes_of(p);
}

/// Shall clusters share the last tiles? Those of two rounds and more, of which the last fills at most half of
/// the compute units, in large tiles: others were no faster.
inline bool may_share_tail(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const index room = room_for_clusters(policy, compute_units), clusters = clusters_of(policy, p, 1),
                left = clusters % room;
    return policy.cluster_k == 1 && policy.block_tile.m * policy.block_tile.n >= 128 * 128 && p.k > 0 &&
           clusters >= 2 * room && left > 0 && 2 * left <= room && counts_tail(policy, p, compute_units);
}

/// Tiles of a policy that was timed, with as many parts of k as asked, or (0) as end first: of those that
/// fill a third of the compute units or more in at most two rounds, and of four steps or more. What a cluster
/// shares is not shared further then. Last tiles are shared where the call may (`tails`).
inline expected_tiles timed_tiles_of(size_class size, const gemm_policy& policy, const gemm_problem& p,
                                     int split_k, int compute_units, bool tails = true) {
    const auto in_parts = [&](index asked) {
        const int parts = splits_for(policy, p, int(asked), compute_units);
        return expected_tiles{size, policy, parts, expected_us(policy, p, compute_units, parts)};
    };
    expected_tiles best = in_parts(max_of(split_k, 1));
    if (split_k != 0 || policy.cluster_k > 1) return best;
    const index steps = ceil_div<index>(p.k, policy.block_tile.k),
                room = room_for_clusters(policy, compute_units), clusters = clusters_of(policy, p, 1);
    for (const int parts : {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64}) {
        if (4 * parts > steps || clusters * parts > 2 * room) break;
        if (3 * clusters * parts < room) continue;
        if (const expected_tiles other = in_parts(parts); ends_before(other, best)) best = other;
    }
    if (tails && may_share_tail(policy, p, compute_units))
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

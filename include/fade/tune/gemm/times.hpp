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
/// of 64 k, what that takes more where rows of A and B begin between lines of 128 bytes or between sectors of
/// 32, what each of these three takes more where all compute units are busy, of parts of k (their second
/// launch, and a million sums that are stored and read again), and of a megabyte of A and B. Lines through
/// the times of 1,600 random products (bench/experiments.md): fitted to one half of them, choices of the
/// other reach 0.883 of cublasLt's speed where the best of these kernels reach 0.894. Sums that workgroups of
/// a cluster exchange are part of those times.
struct tile_times {
    int m, n, cluster, cluster_k;
    double launch, tile, step, lines, sectors, crowd, crowd_lines, crowd_sectors, parts, million, megabyte;
};
inline constexpr tile_times timed_tiles[] = {
    {128, 256, 2, 1, 3.16, 1.96, 0.536, 0.005, 0.017, 0.092, 0.021, 0.055, 2.35, 1.08, 0.061},
    {128, 192, 2, 1, 2.78, 1.92, 0.392, 0.01, 0.031, 0.083, 0.019, 0.049, 2.28, 0.93, 0.081},
    {128, 128, 4, 1, 2.79, 1.34, 0.258, 0.008, 0.018, 0.053, 0.006, 0.028, 1.79, 1.25, 0.08},
    {64, 128, 4, 1, 2.08, 1.13, 0.199, 0, 0.011, 0.027, 0.004, 0.013, 1.62, 1.39, 0.06},
    {192, 128, 1, 1, 2.94, 1.26, 0.363, 0.031, 0.064, 0.108, 0.019, 0.12, 1.78, 1.04, 0.091},
    {128, 128, 1, 1, 2.65, 1.12, 0.239, 0.013, 0.071, 0.095, 0.036, 0.117, 1.85, 1.08, 0.077},
    {64, 128, 1, 1, 2.07, 1.03, 0.139, 0.016, 0.09, 0.066, 0.038, 0.074, 1.67, 1.14, 0.06},
    {64, 64, 1, 1, 1.77, 0.88, 0.118, 0.003, 0.045, 0.02, 0.033, 0.064, 1.5, 0.99, 0.092},
    {128, 128, 1, 2, 2.71, 3.35, 0.254, 0.022, 0.093, 0.154, 0.034, 0.048, 1.35, 1.98, 0.049},
    {64, 64, 1, 2, 0.62, 2.86, 0.131, 0.012, 0.064, 0.066, 0.029, 0.01, 1.68, 0.1, 0.073},
    {64, 64, 1, 4, 0.76, 2.78, 0.127, 0.002, 0.058, 0.114, 0.03, 0, 1.34, 1.24, 0.083},
};

/// Tiles of size_class::clustered are weighed of a deeper k alone, in one part: of less others were sooner
/// than these times say (bench/experiments.md).
inline constexpr index clustered_beyond_k = 8192;

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

/// Where rows of an operand begin, of 16-bit types: at lines of 128 bytes (0), between them (1), or between
/// their sectors of 32 bytes, too (2), so that a row of a box touches two lines, or five sectors.
constexpr int begin_of_rows(index apart) { return apart % 64 == 0 ? 0 : apart % 16 == 0 ? 1 : 2; }

/// How much longer the steps of workgroups alone take from 2048 to 8192 k on, as more than half of the
/// compute units are busy: a tenth where all are.
inline double slowed_by_depth(const tile_times& t, double k, double busy) {
    if (t.cluster * t.cluster_k > 1) return 1;
    const double deep = min_of(max_of((k - 2048) / 6144, 0.0), 1.0),
                 full = max_of(2 * min_of(busy, 1.0) - 1, 0.0);
    return 1 + 0.1 * deep * full;
}
/// The part of the rows of a workgroup's boxes that are A's, each without those that others of a cluster
/// bring.
inline double share_of_a(const gemm_policy& policy, const gemm_problem& p) {
    const int beside = block::cluster_columns(ceil_div<index>(p.m, policy.block_tile.m),
                                              ceil_div<index>(p.n, policy.block_tile.n), policy.cluster);
    const double a = double(policy.block_tile.m) / beside,
                 b = double(policy.block_tile.n) * beside / policy.cluster;
    return a / (a + b);
}
/// Of a step of so many parts of k, where such a share of the compute units is busy.
inline double us_of_step(const gemm_policy& policy, const gemm_problem& p, double busy, int parts = 1) {
    const tile_times& t = *times_of(policy);
    const double crowd = min_of(max_of(2 * min_of(busy, 1.0) - 0.8, 0.0), 1.0), a = share_of_a(policy, p),
                 of[] = {0, t.lines + crowd * t.crowd_lines, t.sectors + crowd * t.crowd_sectors};
    return slowed_by_depth(t, double(p.k) / parts, busy) *
           (t.step + crowd * t.crowd + a * of[begin_of_rows(p.lda)] + (1 - a) * of[begin_of_rows(p.ldb)]);
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
           (t.launch +
            rounds * (t.tile + double(max_of<index>(steps, 1)) * us_of_step(policy, p, busy, parts)) + sums +
            t.megabyte * megabytes_of(p));
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
    return t.launch + (rounds + 1) * t.tile +
           (rounds * double(steps) + shares.share) * us_of_step(policy, p, 1) + us_of_sums(t, sums) +
           t.megabyte * megabytes_of(p);
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

/// Do so many tiles of few rows keep memory busy? Their rings are deep, so that half of the compute units do.
constexpr bool busy(index tiles, int compute_units) { return 20 * tiles >= 9 * compute_units; }

/// Are the parts of their k as many as end first by times, where that is left open (0)?
inline bool has_timed_parts(const gemm_policy& flat, const gemm_problem& p, int asked, int compute_units) {
    return asked == 0 && times_of(flat) && !busy(tiles_of(flat, p), compute_units);
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

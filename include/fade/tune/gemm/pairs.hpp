// What tiles of clusters of two take on an H200, which was timed (bench/experiments.md).
#pragma once
#include <fade/block/schedule/persistent.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// Were tiles of this kind timed? Of 16-bit types, whose steps have 64 k.
constexpr bool is_timed_pair(const gemm_policy& policy) {
    return policy.pipeline == block::pipeline_kind::tma_ring && policy.cluster == 2 &&
           policy.block_tile.k == 64 && policy.block_tile.m == 128 && policy.block_tile.n >= 128;
}

/// Tiles that the busiest compute unit makes.
inline index rounds_of_pairs(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const index rows = ceil_div<index>(p.m, policy.block_tile.m),
                columns = ceil_div<index>(p.n, policy.block_tile.n), pair = policy.cluster;
    const index pairs = block::pairs_along_columns(rows, columns, policy.cluster)
                            ? ceil_div(columns, pair) * rows
                            : ceil_div(rows, pair) * columns;
    return ceil_div<index>(pairs * p.batch, max_of(compute_units / policy.cluster, 1));
}

/// Microseconds: of a launch, of a tile's beginning and end, and of its steps. Lines through the times of 40
/// random products on an H200, and of 128 x 256 where the matrix unit alone decides.
inline double expected_us(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const bool wide = policy.block_tile.n >= 256;
    const double launch = wide ? 2 : 1.4, tile = wide ? 2.8 : 1.74, step = wide ? 0.584 : 0.34;
    return launch + double(rounds_of_pairs(policy, p, compute_units)) *
                        (tile + double(ceil_div<index>(p.k, policy.block_tile.k)) * step);
}

/// "128x256 in 2 rounds"
inline std::string rounds_words(const gemm_policy& policy, const gemm_problem& p, int compute_units) {
    const index rounds = rounds_of_pairs(policy, p, compute_units);
    return std::to_string(policy.block_tile.m) + "x" + std::to_string(policy.block_tile.n) + " in " +
           std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
}
inline std::string us_words(double us) { return std::to_string(int(us + 0.5)) + " us"; }

}  // namespace FADE_NAMESPACE::tune

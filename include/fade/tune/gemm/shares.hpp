// How a product is shared out: tiles of a policy, parts of k, and whether those fill a device.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// How many tiles of a policy D is cut into.
inline index tiles_of(const gemm_policy& policy, const gemm_problem& p) {
    return ceil_div<index>(p.m, policy.block_tile.m) * ceil_div<index>(p.n, policy.block_tile.n) * p.batch;
}

/// Do so many large tiles occupy at least three quarters of the compute units? They do the same work in fewer
/// bytes, which outweighs a quarter of idle units.
constexpr bool enough(index tiles, int compute_units) { return 4 * tiles >= 3 * compute_units; }

/// How many workgroups share the k of a tile: as asked, or (0) as many as idle compute units call for, each
/// with at least four steps. What a cluster shares is shared further only where three quarters of the device
/// idle: a second launch costs more than it spares.
inline int splits_for(const gemm_policy& policy, const gemm_problem& p, int asked, int compute_units) {
    const index steps = ceil_div<index>(p.k, policy.block_tile.k),
                room = compute_units / max_of<index>(tiles_of(policy, p) * policy.cluster_k, 1);
    const index wanted = asked > 0 ? asked
                         : policy.cluster_k > 1 && room < 4
                             ? 1
                             : min_of<index>(room, steps / (4 * policy.cluster_k));
    const index per = ceil_div<index>(max_of<index>(steps, 1),
                                      max_of<index>(wanted, 1));  // no workgroup is left without a step
    return int(max_of<index>(ceil_div<index>(steps, per), 1));
}

/// In how many parts of k large tiles are worth it, where the call leaves that to the selector (`asked` is
/// 0): parts so deep that what they store and read again weighs little.
inline int deep_parts(const gemm_policy& large, const gemm_problem& p, int asked, int compute_units) {
    constexpr index deep = 64;  // steps
    if (asked != 0) return 1;
    const int parts = splits_for(large, p, 0, compute_units);
    return ceil_div<index>(p.k, large.block_tile.k) >= deep * parts ? parts : 1;
}

/// "256 large tiles occupy 256 of 304 compute units, which is enough"
inline std::string occupancy_words(index tiles, int parts, int compute_units) {
    const index all = tiles * parts;
    return std::to_string(tiles) + (tiles == 1 ? " large tile" : " large tiles") +
           (parts > 1 ? ", k in " + std::to_string(parts) + " parts," : "") +
           (tiles == 1 ? " occupies " : " occupy ") + std::to_string(min_of<index>(all, compute_units)) +
           " of " + std::to_string(compute_units) + " compute units, which is " +
           (enough(all, compute_units) ? "enough" : "less than three quarters");
}

}  // namespace FADE_NAMESPACE::tune

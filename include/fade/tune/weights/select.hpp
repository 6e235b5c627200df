// Which kernel a product with quantised weights gets, and why.
#pragma once
#include <fade/kernel/weights/check.hpp>
#include <fade/tune/gemm/select.hpp>

namespace FADE_NAMESPACE::tune {

/// How many workgroups share the k of a tile: those of a cluster, or more, which leave sums to a second
/// launch.
struct weight_parts {
    int ranks = 1, splits = 1;
};
/// As many as idle compute units call for, two at most: larger clusters take longer to begin and to meet than
/// they spare. Three of those of a unit_ring, where they leave a quarter of the compute units idle: not all
/// clusters of three that would fit find a place.
inline weight_parts parts_of_stream(const gemm_policy& policy, const gemm_problem& p, int asked,
                                    int compute_units) {
    constexpr int max_ranks = 8;  // workgroups of a cluster
    const index tiles = max_of<index>(tiles_of(policy, p), 1),
                steps = ceil_div<index>(p.k, policy.block_tile.k);
    if (asked > max_ranks) return {1, splits_for(policy, p, asked, compute_units)};
    index wanted = asked;
    if (asked == 0) {
        wanted = 2 * tiles <= compute_units && steps >= 2 ? 2 : 1;
        if (policy.pipeline == block::pipeline_kind::unit_ring && 4 * tiles <= compute_units && steps >= 4)
            wanted = 3;
    }
    const index per = ceil_div<index>(max_of<index>(steps, 1), wanted);  // nobody is left without a step
    return {int(max_of<index>(ceil_div<index>(steps, per), 1)), 1};
}

/// The policies of all kernels, some without tiles. Where packed words stream, skinny, narrow, medium and
/// flat have ever more rows, and some wider tiles besides; elsewhere there is skinny alone.
struct weight_policies {
    gemm_policy large, skinny, narrow, medium, flat;
    gemm_policy wide[4];  ///< in the order of those four
};

struct weight_choice {
    size_class size;
    std::string why;
    bool wide = false;
};

/// Are wide tiles expected to end first? A round of them counts 0.85 of its columns, for rows of A reach more
/// of them, and by the unit that four waves share 0.8 or, of 64 rows, 0.6 (bench/experiments.md).
inline bool are_faster(const gemm_policy& wide, const gemm_policy& other, const gemm_problem& p, int split_k,
                       int compute_units) {
    if (wide.block_tile.m == 0 || 2 * p.k < wide.block_tile.k) return false;
    const auto cost = [&](const gemm_policy& of) {
        const int ranks = parts_of_stream(of, p, split_k, compute_units).ranks;
        return double(ceil_div<index>(tiles_of(of, p) * ranks, compute_units) * of.block_tile.n) *
               of.block_tile.m / ranks;
    };
    const double share = wide.pipeline != block::pipeline_kind::unit_ring ? 0.85
                         : wide.block_tile.m == 64                        ? 0.6
                                                                          : 0.8;
    return share * cost(wide) <= cost(other);
}

/// "50 rows are two tiles of at most 32: B streams past each through 64 workgroups"
inline std::string words_of_two(const gemm_policy& policy, const gemm_problem& p, int ranks) {
    const index workgroups = tiles_of(policy, p) / 2 * ranks;
    return std::to_string(p.m) + " rows are two tiles of at most " + std::to_string(policy.block_tile.m) +
           ": B streams past each through " + std::to_string(workgroups) +
           (workgroups == 1 ? " workgroup" : " workgroups") +
           (ranks > 1 ? ", of which " + std::to_string(ranks) + " share a tile's k" : "");
}

/// As a product of 16-bit operands is: its tiles and steps are the same. `flat` has more rows than the
/// others.
inline weight_choice select_weights(const weight_policies& of, const gemm_problem& p, int split_k,
                                    int compute_units) {
    using enum size_class;
    const std::string in_registers = "weights become numbers on their way to the operands; ";
    if (of.skinny.pipeline == block::pipeline_kind::wave_ring) {
        const std::pair<const gemm_policy&, size_class> all[] = {
            {of.skinny, skinny}, {of.narrow, narrow}, {of.medium, medium}, {of.flat, flat}};
        for (int i = 0; i < 4; ++i) {
            const auto& [policy, size] = all[i];
            // Where there is no flat one, two tiles of medium, or a wide flat one.
            const bool two = size == medium && of.flat.block_tile.m == 0 && p.m > policy.block_tile.m;
            if (p.m > policy.block_tile.m * (two ? 2 : 1) || 2 * p.k < policy.block_tile.k) continue;
            const int beside = two ? 3 : i;
            const bool wide = split_k <= 1 && are_faster(of.wide[beside], policy, p, split_k, compute_units);
            const gemm_policy& taken = wide ? of.wide[beside] : policy;
            const int ranks = parts_of_stream(taken, p, split_k, compute_units).ranks;
            return {wide ? all[beside].second : size,
                    in_registers +
                        (two && !wide ? words_of_two(taken, p, ranks) : flat_words(taken, p, ranks)),
                    wide};
        }
    }
    if (of.skinny.pipeline == block::pipeline_kind::sliced_k && is_skinny(of.skinny, p))
        return {skinny, in_registers + skinny_words(of.skinny, p)};
    if (of.flat.block_tile.m > 0 && p.m <= of.flat.block_tile.m && 2 * p.k >= of.flat.block_tile.k)
        return {flat, in_registers + flat_words(of.flat, p, splits_for(of.flat, p, split_k, compute_units))};
    const index tiles = tiles_of(of.large, p);
    const int parts = deep_parts(of.large, p, split_k, compute_units);
    return {enough(tiles * parts, compute_units) ? large : small,
            "weights become numbers on their way to shared memory; " +
                occupancy_words(tiles, parts, compute_units)};
}

}  // namespace FADE_NAMESPACE::tune

// What tiles of a policy are expected to take, from machine code that was read, and which tiles that favours.
#pragma once
#include <fade/core/operand_pair.hpp>
#include <fade/tune/gemm/evidence.hpp>
#include <fade/tune/gemm/expected_tiles.hpp>
#include <fade/tune/gemm/rows.hpp>
#include <fade/tune/gemm/shares.hpp>
#include <limits>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

namespace detail {

/// What a policy keeps the multiplying units busy, from 0 to 1, as machine code that was read says; 0 where
/// no code was.
inline double busy_share(std::string_view arch, dtype in, operand_access access, const gemm_policy& policy) {
    for (const gemm_audit& a : gemm_audits)
        if (access != operand_access::strided && a.is_of(arch, in, policy))
            return a.layouts.of[int(access)].sim / 100.0;
    return 0;
}

/// Tiles, or parts of their k, that the busiest compute unit makes.
inline index rounds_of(const gemm_problem& p, const gemm_policy& policy, int parts, int compute_units) {
    return ceil_div<index>(tiles_of(policy, p) * parts * policy.cluster_k, compute_units);
}

/// Multiplications of the busiest compute unit, as if it were always as busy as the figure says: whole tiles,
/// dealt out evenly, and for parts of k what they store and read again.
inline double modelled_cost(const gemm_problem& p, const gemm_policy& policy, int parts, double busy,
                            int compute_units) {
    constexpr double moved = 64;  // multiplications in the time of a sum that is stored and read
    if (busy <= 0) return std::numeric_limits<double>::infinity();
    const tile_shape& t = policy.block_tile;
    const index depth = ceil_div<index>(ceil_div<index>(p.k, t.k), parts * policy.cluster_k) * t.k;
    const double sums =
        parts > 1 ? moved * double(p.m) * double(p.n) * double(p.batch) * parts / compute_units : 0;
    return double(rounds_of(p, policy, parts, compute_units)) * double(t.m) * double(t.n) * double(depth) /
               busy +
           sums;
}

}  // namespace detail

/// Whose machine code speaks for the tiles of a row.
struct tile_model {
    std::string_view arch{};  ///< empty: nobody's
    dtype in = dtype::f16;    ///< of the operands
};

template <class Arch, class In>
constexpr tile_model model_of() {
    tile_model out;  // nvcc loses braces around its fields
    out.arch = Arch::traits.name, out.in = dtype_v<element_of_a<In>>;
    return out;
}

/// What the tiles of a row are expected to take, the largest first; empty where one of them has no figure,
/// and for one compute unit, among which nothing is dealt out.
inline std::vector<expected_tiles> expected_of(const gemm_row& row, const gemm_problem& p,
                                               operand_access access, int split_k, int compute_units,
                                               const tile_model& model) {
    std::vector<expected_tiles> out;
    if (compute_units < 2) return out;
    for (const size_class size : {size_class::large, size_class::medium, size_class::small}) {
        const gemm_policy policy = row.of(size);
        if (policy.block_tile.m == 0) continue;
        const int parts = splits_for(policy, p, split_k, compute_units);
        const double busy = detail::busy_share(model.arch, model.in, access, policy);
        if (busy <= 0) return {};
        out.push_back({size, policy, parts, detail::modelled_cost(p, policy, parts, busy, compute_units)});
    }
    return out;
}

/// The tiles that are expected to end first. A tenth is left to larger ones, which read less.
inline const expected_tiles& best_of(const std::vector<expected_tiles>& all) {
    constexpr double for_fewer_bytes = 1.1;
    const expected_tiles* best = &all.front();
    for (const expected_tiles& one : all)
        if (one.cost * for_fewer_bytes < best->cost) best = &one;
    return *best;
}

/// "of 1024 tiles of 128x128 the busiest of 304 compute units makes 4, in 0.57 of the time expected of
/// 256x256, 0.71 of 64x64"
inline std::string expected_words(const std::vector<expected_tiles>& all, const expected_tiles& chosen,
                                  const gemm_problem& p, int compute_units) {
    const auto tile = [](const gemm_policy& policy) {
        return std::to_string(policy.block_tile.m) + "x" + std::to_string(policy.block_tile.n);
    };
    const auto share = [](double x) {
        const int hundredths = int(x * 100 + 0.5);
        return std::to_string(hundredths / 100) + "." + std::to_string(hundredths / 10 % 10) +
               std::to_string(hundredths % 10);
    };
    const index tiles = tiles_of(chosen.policy, p);
    std::string out = "of " + std::to_string(tiles) + (tiles == 1 ? " tile of " : " tiles of ") +
                      tile(chosen.policy) +
                      (chosen.parts > 1 ? ", k in " + std::to_string(chosen.parts) + " parts," : "") +
                      " the busiest of " + std::to_string(compute_units) + " compute units makes " +
                      std::to_string(detail::rounds_of(p, chosen.policy, chosen.parts, compute_units));
    bool first = true;
    for (const expected_tiles& other : all)
        if (other.size != chosen.size) {
            out += (first ? ", in " : ", ") + share(chosen.cost / other.cost) +
                   (first ? " of the time expected of " : " of ") + tile(other.policy);
            first = false;
        }
    return out;
}

}  // namespace FADE_NAMESPACE::tune

// The static model's opinion of the policies of a product, without the machine.
#pragma once
#include <algorithm>
#include <fade/tune/gemm/entry.hpp>
#include <fade/tune/gemm/evidence.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <limits>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// What the model says of one policy. Nothing here was timed.
struct ranked_gemm {
    tuned_gemm choice{};     ///< policy and parts of k
    double relative = 0;     ///< modelled time over that of the first; infinite where no figure is known
    std::string evidence{};  ///< what the figure rests on
};

namespace detail {

/// What a policy keeps the multiplying units busy, from 0 to 1, as machine code that was read says; 0 where
/// no code was.
inline double busy_share(std::string_view arch, dtype in, operand_access access, const gemm_policy& policy) {
    for (const gemm_audit& a : gemm_audits)
        if (access != operand_access::strided && a.is_of(arch, in, policy))
            return a.layouts.of[int(access)].sim / 100.0;
    return 0;
}

/// Multiplications of the busiest compute unit, as if it were always as busy as the figure says: whole tiles,
/// dealt out evenly, and for parts of k what they store and read again.
inline double modelled_cost(const gemm_problem& p, const tuned_gemm& c, double busy, int compute_units) {
    constexpr double moved = 64;  // multiplications in the time of a sum that is stored and read
    const tile_shape& t = c.policy.block_tile;
    const int sharers = c.split_k * c.policy.cluster_k;
    const index depth = ceil_div<index>(ceil_div<index>(p.k, t.k), sharers) * t.k;
    const index tiles = ceil_div<index>(tiles_of(c.policy, p) * sharers, compute_units);
    const double sums =
        c.split_k > 1 ? moved * double(p.m) * double(p.n) * double(p.batch) * c.split_k / compute_units : 0;
    if (busy <= 0) return std::numeric_limits<double>::infinity();
    return double(tiles) * double(t.m) * double(t.n) * double(depth) / busy + sums;
}

}  // namespace detail

/// The policies of the table that a product with aligned operands can get on an architecture, the one that
/// the model thinks fastest first. Sizes are all above 0.
template <class Arch, class In>
std::vector<ranked_gemm> rank_gemm(const gemm_problem& p, int compute_units) {
    constexpr gemm_row row = row_of<Arch, In>();
    const auto access = operand_access(int(p.layout));
    std::vector<size_class> sizes{size_class::large, size_class::small};
    for (const size_class few : {size_class::skinny, size_class::skinny_columns})
        if (is_skinny(policy_for(row, few, access), p, few == size_class::skinny_columns))
            sizes.push_back(few);
    if (const gemm_policy flat = policy_for(row, size_class::flat, access);
        flat.block_tile.m > 0 && p.m <= flat.block_tile.m)
        sizes.push_back(size_class::flat);
    for (const size_class together : {size_class::clustered, size_class::flat_clustered})
        if (policy_for(row, together, access).block_tile.m > 0) sizes.push_back(together);
    std::vector<ranked_gemm> out;
    std::vector<double> costs;
    for (const size_class size : sizes) {
        const gemm_policy policy = policy_for(row, size, access);
        for (const int parts : {1, splits_for(policy, p, 0, compute_units)}) {
            const tuned_gemm choice{policy, parts};
            if (std::ranges::any_of(out, [&](const ranked_gemm& r) { return r.choice == choice; })) continue;
            const double busy = detail::busy_share(Arch::traits.name, dtype_v<In>, access, policy);
            out.push_back({choice, detail::modelled_cost(p, choice, busy, compute_units),
                           gemm_evidence(Arch::traits.name, dtype_v<In>, p.layout, access, policy)});
        }
    }
    std::ranges::stable_sort(out, {}, &ranked_gemm::relative);
    const double first = out.front().relative;
    for (ranked_gemm& r : out) r.relative = first < r.relative ? r.relative / first : 1;
    if (first == std::numeric_limits<double>::infinity())
        for (ranked_gemm& r : out) r.relative = first;
    return out;
}

}  // namespace FADE_NAMESPACE::tune

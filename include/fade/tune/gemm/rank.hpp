// The static model's opinion of the policies of a product, without the machine.
#pragma once
#include <fade/tune/gemm/entry.hpp>
#include <fade/tune/gemm/expected.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <fade/tune/ranked.hpp>

namespace FADE_NAMESPACE::tune {

/// A policy and the parts of k.
using ranked_gemm = ranked<tuned_gemm>;

/// The policies of the table that a product with aligned operands can get on an architecture, the one that
/// the model thinks fastest first. Sizes are all above 0.
template <class Arch, class In>
std::vector<ranked_gemm> rank_gemm(const gemm_problem& p, int compute_units) {
    constexpr gemm_row row = row_of<Arch, In>();
    const auto access = operand_access(int(p.layout));
    std::vector<size_class> sizes{size_class::large, size_class::small};
    if (policy_for(row, size_class::medium, access).block_tile.m > 0) sizes.push_back(size_class::medium);
    for (const size_class few : {size_class::skinny, size_class::skinny_columns})
        if (is_skinny(policy_for(row, few, access), p, few == size_class::skinny_columns))
            sizes.push_back(few);
    if (const gemm_policy flat = policy_for(row, size_class::flat, access);
        flat.block_tile.m > 0 && p.m <= flat.block_tile.m)
        sizes.push_back(size_class::flat);
    for (const size_class together :
         {size_class::clustered, size_class::flat_clustered, size_class::deep, size_class::quad,
          size_class::flat_quad, size_class::tiny, size_class::tall})
        if (policy_for(row, together, access).block_tile.m > 0) sizes.push_back(together);
    std::vector<ranked_gemm> out;
    for (const size_class size : sizes) {
        const gemm_policy policy = policy_for(row, size, access);
        for (const int parts : {1, splits_for(policy, p, 0, compute_units)}) {
            const tuned_gemm choice{policy, parts};
            if (detail::has(out, choice)) continue;
            const double busy = detail::busy_share(Arch::traits.name, dtype_v<In>, access, policy);
            out.push_back({choice, detail::modelled_cost(p, policy, parts, busy, compute_units),
                           gemm_evidence(Arch::traits.name, dtype_v<In>, p.layout, access, policy)});
        }
    }
    return detail::in_order(out);
}

}  // namespace FADE_NAMESPACE::tune

// May a call use what a database holds? Only kernels that the program has are run.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/tune/ask.hpp>
#include <fade/tune/gemm/host.hpp>
#include <fade/tune/gemm/select.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// Why a row cannot share k as it says; empty where it can.
inline std::string split_obstacle(int split_k) {
    if (split_k >= 1 && split_k <= 4096) return "";
    return "its split_k is " + std::to_string(split_k) + ", which is none of 1 to 4096";
}

/// Why a call whose epilogue makes a column of so many cannot share the last tiles as a row says; empty where
/// it can, or the row does not say so.
inline std::string schedule_obstacle(const gemm_policy& policy, const gemm_problem& p, int joined,
                                     int compute_units) {
    if (policy.schedule != gemm_schedule::stream_k) return "";
    if (joined > 1) return "stream_k adds up columns one by one, and a gate pairs them";
    return counts_tail(policy, p, compute_units) ? "" : "k has more steps than stream_k counts";
}

/// The kernel of a tuned row, or why there is none.
struct tuned_fit {
    size_class size = size_class::small;
    std::string obstacle;  ///< empty where the row can be used
};

/// The host's kernel takes any even shares of D, which fit one problem alone.
template <class In>
tuned_fit fit_host(const gemm_problem& p, const gemm_policy& policy, bool exact) {
    using traits = kernel::gemm_traits<arch::host, In, host_tiles>;
    gemm_policy others = policy;
    const tile_shape tile = others.block_tile;
    others.block_tile = {host_tiles.block_tile.m, host_tiles.block_tile.n, tile.k};
    if (!exact) return {size_class::large, "shares of D fit one problem alone on the host"};
    if (others != host_tiles || tile.m < 1 || tile.n < 1 || tile.m > traits::max_rows ||
        tile.n > max_of<index>(widest_share<traits, In>(p, few_rows::as_dots), traits::panel))
        return {size_class::large, "the host has no kernel of its policy"};
    return {size_class::large, ""};
}

/// A GPU's program holds one kernel a size class. Where operands are not both read in runs as their layout
/// says (`runs`), those of few rows or columns alone.
template <class Arch, class In>
tuned_fit fit_tuned(const gemm_row& row, operand_access access, const gemm_problem& p,
                    const gemm_policy& asked, bool exact, bool runs) {
    if constexpr (std::is_same_v<Arch, arch::host>)
        return fit_host<In>(p, asked, exact);
    else {
        const gemm_policy policy = kernel_of(asked);
        const bool strided = access == operand_access::strided;
        if ((runs || strided) && policy == policy_for(row, size_class::small, access))
            return {size_class::small, ""};
        if (runs && !strided && policy == policy_for(row, size_class::large, access))
            return {size_class::large, ""};
        if (runs && policy.block_tile.m > 0 && policy == policy_for(row, size_class::medium, access))
            return {size_class::medium, ""};
        for (const size_class few : {size_class::skinny, size_class::skinny_columns})
            if (!strided && policy == policy_for(row, few, access) &&
                is_skinny(policy, p, few == size_class::skinny_columns))
                return {few, ""};
        for (const size_class boxes :
             {size_class::flat, size_class::clustered, size_class::flat_clustered, size_class::deep,
              size_class::quad, size_class::flat_quad, size_class::tiny, size_class::tall})
            if (runs && policy.block_tile.m > 0 && policy == policy_for(row, boxes, access))
                return {boxes, ""};
        return {size_class::small, "this program holds no kernel of its policy"};
    }
}

/// What of a policy could be compiled for the call: a kernel with the arguments that the program's have.
template <class Arch>
tuned_fit fit_compiled(gemm_row row, operand_access access, const gemm_policy& policy, bool runs) {
    using enum block::pipeline_kind;
    const auto refuse = [](const char* why) { return tuned_fit{size_class::large, why}; };
    if (!runs || access == operand_access::strided)
        return refuse("kernels are compiled for operands that are read in 16-byte runs");
    if (policy.pipeline == sliced_k || kernel_of(policy).schedule != gemm_schedule::tiles)
        return refuse("kernels are compiled for whole tiles and their parts of k");
    if (policy.block_tile.m < 1 || policy.block_tile.n < 1 || policy.block_tile.k < 1 || policy.cluster < 1 ||
        policy.cluster_k < 1 || policy.swizzle_rows < 1 || policy.xcd_chunk < 1)
        return refuse("it is no policy of a kernel");
    if (policy.pipeline == tma_ring && !Arch::traits.tensor_maps)
        return refuse("the architecture has no tensor maps");
    row.large = kernel_of(policy);
    if (policy_for(row, size_class::large, access) != row.large)
        return refuse("its pipeline cannot copy such operands");
    return {size_class::large, ""};
}

}  // namespace FADE_NAMESPACE::tune

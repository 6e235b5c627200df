// May an attention use what a database holds? Only kernels that the program has are run.
#pragma once
#include <fade/tune/attention/select.hpp>
#include <fade/tune/attention/tuned.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// The most queries of a workgroup on the host, in whole strips.
template <class In>
int max_host_queries(const attention_problem& p) {
    using traits = kernel::attention_traits<arch::host, In, host_attention>;
    return traits::queries_that_fit(max_of(p.head_dim, p.head_dim_v)) / traits::strip * traits::strip;
}

/// Why the host has no kernel of a row's policy; empty where it has. Its kernel takes any number of queries
/// in whole strips.
template <class In>
std::string host_attention_obstacle(const attention_problem& p, const attention_policy& row,
                                    const tuned_attention& tuned, bool exact) {
    using traits = kernel::attention_traits<arch::host, In, host_attention>;
    attention_policy others = tuned.policy;
    others.wave_queries = row.wave_queries;
    const int queries = tuned.policy.wave_queries;
    if (!exact) return "shares of queries fit one problem alone on the host";
    if (others != row || tuned.split_kv != 1 || queries < traits::strip || queries % traits::strip != 0 ||
        queries > max_host_queries<In>(p))
        return "the host has no kernel of its policy";
    return "";
}

/// Why keys cannot be shared as a row says; empty where they can.
inline std::string split_kv_obstacle(int split_kv) {
    if (split_kv >= 1 && split_kv <= 4096) return "";
    return "its split_kv is " + std::to_string(split_kv) + ", which is none of 1 to 4096";
}

/// Why a kernel of a policy cannot stand in the place of the program's `own`, which has its arguments; empty
/// where it can.
inline std::string compiled_attention_obstacle(const attention_policy& policy, const attention_policy& own,
                                               attention_variant variant) {
    if (policy.head_dim != own.head_dim || own.waves < 1)
        return "its kernel holds heads of " + std::to_string(policy.head_dim) + " dimensions";
    if (policy.waves < 1 || policy.wave_queries < 1 || policy.keys < 1 || policy.value_parts < 1)
        return "it is no policy of a kernel";
    if (!kernel::takes(policy, variant) || policy.by_warpgroup() != own.by_warpgroup())
        return std::string("the ") + name(variant) + " kernel does not run it";
    return "";
}

}  // namespace FADE_NAMESPACE::tune

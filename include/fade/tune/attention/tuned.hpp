// What tuning knows of an attention: the policy that is kept.
#pragma once
#include <fade/kernel/attention/policy.hpp>
#include <fade/tune/policy_json.hpp>
#include <fade/tune/tuned.hpp>

namespace FADE_NAMESPACE {

/// What a row of an attention holds. `split_kv` stands for the call's where that is 0.
struct tuned_attention {
    attention_policy policy{};  ///< the fastest
    int split_kv = 1;           ///< workgroups that share the keys of a tile of queries
    /// Are all fields equal?
    constexpr bool operator==(const tuned_attention&) const = default;
};

/// Calls f(name, value) for each field, those of the policy first.
template <class F>
constexpr void each_field(const tuned_attention& tuned, const F& f) {
    each_field(tuned.policy, f);
    f("split_kv", tuned.split_kv);
}

namespace tune {
template <>
inline constexpr int choices<attention_schedule> = 4;
template <>
inline constexpr int choices<attention_copy> = 3;
template <>
inline constexpr int choices<attention_q_storage> = 2;
}  // namespace tune

}  // namespace FADE_NAMESPACE

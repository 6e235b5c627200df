// What tuning knows of a matrix multiplication: the problem, and the policy that is kept.
#pragma once
#include <fade/kernel/gemm/policy.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/tune/policy_json.hpp>
#include <fade/tune/tuned.hpp>

namespace FADE_NAMESPACE {

/// What a row of a product holds. `split_k` stands for the call's where that is 0.
struct tuned_gemm {
    gemm_policy policy{};  ///< the fastest
    int split_k = 1;       ///< workgroups that share a tile's k
    /// Are all fields equal?
    constexpr bool operator==(const tuned_gemm&) const = default;
};

/// Calls f(name, value) for each field, those of the policy first.
template <class F>
constexpr void each_field(const tuned_gemm& tuned, const F& f) {
    each_field(tuned.policy, f);
    f("split_k", tuned.split_k);
}

namespace tune {
template <>
inline constexpr int choices<block::pipeline_kind> = 7;
template <>
inline constexpr int choices<gemm_schedule> = 2;
}  // namespace tune

}  // namespace FADE_NAMESPACE

// What tuning knows of a convolution: the algorithm and the policy that are kept.
#pragma once
#include <fade/kernel/conv/problem.hpp>
#include <fade/tune/gemm/tuned.hpp>

namespace FADE_NAMESPACE {

/// What a row of a convolution holds. `split_k` stands for the call's where that is 0. Algorithms beside
/// implicit_gemm have no policy of their own: theirs is the default.
struct tuned_conv {
    conv_algorithm algorithm = conv_algorithm::implicit_gemm;  ///< the fastest
    gemm_policy policy{};                                      ///< of implicit_gemm
    int split_k = 1;                                           ///< workgroups that share a tile's k
    /// Are all fields equal?
    constexpr bool operator==(const tuned_conv&) const = default;
};

/// Calls f(name, value) for each field.
template <class F>
constexpr void each_field(const tuned_conv& tuned, const F& f) {
    f("algorithm", tuned.algorithm);
    each_field(tuned.policy, f);
    f("split_k", tuned.split_k);
}

namespace tune {
template <>
inline constexpr int choices<conv_algorithm> = 7;
}

}  // namespace FADE_NAMESPACE

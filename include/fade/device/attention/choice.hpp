// Which kernel an attention gets, on which grid, and the words for that.
#pragma once
#include <fade/core/report.hpp>
#include <fade/device/attention/arguments.hpp>
#include <fade/device/attention/tuned.hpp>
#include <fade/device/devices.hpp>
#include <fade/kernel/attention/check.hpp>
#include <fade/tune/attention/evidence.hpp>

namespace FADE_NAMESPACE {

/// Workgroups of the attention itself.
template <class Setting>
grid_shape grid_of(const Setting& s) {
    const index tiles = ceil_div<index>(s.problem.seq_q * s.choice.tile_heads, s.policy.queries()) *
                        s.policy.value_parts * s.choice.splits;
    require(tiles < (index(1) << 31), "seq_q", s.problem.seq_q,
            "at most 2^31 - 1 workgroups can share its tiles");
    return {.x = int(tiles), .y = int(s.problem.heads / s.choice.tile_heads), .z = int(s.problem.batch)};
}

namespace detail {

/// Of the tensors as the kernel finds them: copies have strides of their own.
template <class Setting>
void check_reach(const Setting& s) {
    constexpr index in = sizeof(typename Setting::In), out = sizeof(typename Setting::Out);
    const auto a = arguments_of(s);
    const index queries = s.policy.queries(), keys = s.policy.keys;
    kernel::check_reach("q_strides", a.q_strides, s.problem.seq_q, queries, in);
    kernel::check_reach("k_strides", a.k_strides, s.problem.seq_k, keys, in);
    kernel::check_reach("v_strides", a.v_strides, s.problem.seq_k, keys, in);
    kernel::check_reach("o_strides", a.o_strides, s.problem.seq_q, queries, out);
}

inline std::string chosen_words(const attention_policy& t, tune::attention_variant variant,
                                const char* origin) {
    return std::string("attention_") + tune::name(variant) + origin + "_d" + std::to_string(t.head_dim) +
           " " + std::to_string(t.queries()) + " queries x " + std::to_string(t.keys) + " keys, " +
           std::to_string(t.waves) + " waves";
}

}  // namespace detail

/// What a call leaves to the selector, and what it does not.
struct attention_wishes {
    int split_kv;                 ///< 0: as many as idle compute units call for
    bool packs;                   ///< heads of a group stand for queries
    const tuned_policies* tuned;  ///< asked for a policy
    bool compiles = false;        ///< are kernels compiled that the program does not hold?
    std::string missing{};        ///< why the device cannot have the row's; empty where it can
};

/// Chooses kernel, policy and splits, checks that the kernel reaches all, and says so. True where the policy
/// is none of the program's.
template <class Arch, class Setting, class Device>
bool decide(Setting& s, report& said, const Device& device, const attention_wishes& wishes) {
    using In = typename Setting::In;
    using policies = typename Setting::policies;
    constexpr bool on_host = std::is_same_v<Device, host_device>;
    tune::require_runnable<policies, Arch, In>(max_of(s.problem.head_dim, s.problem.head_dim_v));
    const auto choose = [&](int split_kv) {
        if constexpr (on_host)
            return tune::select_host_attention(s.problem);
        else
            return tune::select_attention<policies, Arch>(s.problem, s.operands, Setting::has_score_mod_rule,
                                                          split_kv, device.compute_units());
    };
    tune::attention_choice& c = s.choice;
    c = choose(wishes.split_kv);
    tune::require_kernel<policies>(c.variant, wishes.split_kv, c.why);
    s.policy = policies::template row<Arch, In>(c.head_class, c.variant);
    if constexpr (on_host) s.policy.wave_queries = tune::host_queries<In>(s.problem, device.compute_units());
    attention_tuning tuned;
    if (wishes.tuned && !s.empty()) {
        if constexpr (policies::passed)
            tuned.why = "; the tuning database is not asked, since the policy was passed";
        else
            tuned = apply_tuned<Arch>(s, device, *wishes.tuned, wishes.split_kv, wishes.packs, choose,
                                      {wishes.compiles, wishes.missing});
    }
    s.splits.count = c.splits;
    if constexpr (!on_host) detail::check_reach(s);
    if (!s.empty()) grid_of(s);
    said.chosen = detail::chosen_words(s.policy, c.variant,
                                       policies::passed ? "_passed"
                                       : tuned.compiled ? "_compiled"
                                                        : "");
    said.why = (policies::passed ? "the caller passed the policy; " : "") + c.why;
    if (wishes.split_kv > 1 && c.splits != wishes.split_kv)
        said.why += "; there are too few keys for " + std::to_string(wishes.split_kv) + " tiles";
    if (wishes.packs)
        said.why +=
            "; the " + std::to_string(s.problem.seq_q) + " heads that share keys are queries of one tile";
    said.why += tuned.why;
    said.device = device.name(), said.arch = std::string(Arch::traits.name);
    said.fallback = c.gathered.any();
    said.evidence = policies::passed          ? tune::passed_evidence(Arch::traits.name)
                    : !tuned.evidence.empty() ? tuned.evidence
                                              : tune::attention_evidence(Arch::traits.name, dtype_v<In>,
                                                                         c.variant, c.head_class, s.policy);
    return tuned.compiled;
}

}  // namespace FADE_NAMESPACE

// An attention asks a database of tuned policies.
#pragma once
#include <fade/device/attention/setting.hpp>
#include <fade/device/tuning_machine.hpp>
#include <fade/tune/ask.hpp>
#include <fade/tune/attention/apply.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What a call says of a database.
struct attention_tuning {
    std::string evidence{};  ///< of the row that decides; empty where none does
    std::string why{};       ///< begins with "; "
    bool compiled = false;   ///< is the policy none of the program's?
};

/// Of kernels that the program does not hold.
struct kernels_to_compile {
    bool any = false;       ///< are they compiled?
    std::string missing{};  ///< why the device cannot have the row's; empty where it can
};

namespace detail {

/// The rules of an attention: what a tuned row must have in common with a call.
template <class Setting>
std::string rules_in_words(const Setting& s) {
    const attention_problem& p = s.problem;
    const auto& o = s.operands;
    std::string out;
    const auto with = [&](bool has, const char* rule) {
        if (has) out += std::string(", ") + rule;
    };
    if (p.causal != causal_kind::none) out += std::string(", causal ") + name(p.causal);
    if (p.window_left >= 0 || p.window_right >= 0)
        out += ", window " + std::to_string(p.window_left) + "," + std::to_string(p.window_right);
    with(p.scale < 0, "a negative scale"), with(p.softcap > 0, "softcap"), with(p.dropout > 0, "dropout");
    with(bool(o.alibi), "ALiBi"), with(bool(o.bias), "bias"), with(bool(o.sink), "sink"),
        with(bool(o.starts_k), "first keys");
    with(o.scales.q || o.scales.k || o.scales.v, "scales"), with(bool(o.lse), "lse");
    with(Setting::has_score_mod_rule, "a rule of one's own");
    with(s.lengths_q() || s.lengths_k(), "variable lengths");
    if (p.page_size) out += ", pages of " + std::to_string(p.page_size);
    return out;
}

/// Sizes that may differ: batch, heads, kv_heads, queries, keys, and both head dimensions.
template <class Setting>
tuning_problem problem_to_tune(const Setting& s, int split_kv, bool packs) {
    const attention_problem& p = s.problem;
    return {.kind = std::string("attention ") + fade::name(dtype_v<typename Setting::In>) + " to " +
                    fade::name(dtype_v<typename Setting::Out>) + rules_in_words(s) +
                    (packs ? ", heads packed" : "") + ", split_kv " + std::to_string(split_kv),
            .sizes = {p.batch, p.heads, p.kv_heads, p.seq_q, p.seq_k, p.head_dim, p.head_dim_v}};
}

}  // namespace detail

/// Puts a tuned row in the place of the model's choice. `choose` makes the choice of a GPU for so many parts
/// of the keys.
template <class Arch, class Setting, class Device, class Choose>
attention_tuning apply_tuned(Setting& s, const Device& device, const tuned_policies& source, int asked_splits,
                             bool packs, const Choose& choose, const kernels_to_compile& others = {}) {
    using In = typename Setting::In;
    using policies = typename Setting::policies;
    attention_tuning out;
    const auto found = tune::ask<tuned_attention>(source, detail::problem_to_tune(s, asked_splits, packs),
                                                  machine_of(device), out.why);
    if (!found.policy) return out;
    const auto& [policy, split_kv] = *found.policy;
    std::string obstacle = tune::split_kv_obstacle(split_kv);
    tune::attention_choice choice = s.choice;
    if constexpr (std::is_same_v<Device, host_device>)
        obstacle = tune::host_attention_obstacle<In>(s.problem, s.policy, *found.policy, found.exact);
    else if (obstacle.empty()) {
        choice = choose(asked_splits == 0 ? split_kv : asked_splits);
        const attention_policy own = policies::template row<Arch, In>(choice.head_class, choice.variant);
        if (policy != own) {
            obstacle = "this program holds no kernel of its policy";
            if (others.any) obstacle = tune::compiled_attention_obstacle(policy, own, choice.variant);
            if (obstacle.empty()) obstacle = others.missing;
            out.compiled = obstacle.empty();
        }
    }
    out.why += tune::words_of_use(obstacle);
    if (obstacle.empty()) s.policy = policy, s.choice = choice, out.evidence = found.evidence;
    return out;
}

}  // namespace FADE_NAMESPACE

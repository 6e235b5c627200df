// What an attention is, once it has been decided: all that its launches follow from.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/kernel/attention/score_mod.hpp>
#include <fade/tune/attention/select.hpp>
#include <string>

namespace FADE_NAMESPACE {

template <class In_, class Out_, class Rule_, attention_kernels Kernels = attention_kernels{}>
struct attention_setting {
    using In = In_;
    using Out = Out_;
    using Rule = Rule_;
    using policies = tune::attention_policies_of<Kernels>;
    using arguments = kernel::attention_arguments<In, Out, Rule>;
    static constexpr bool has_score_mod_rule = !std::is_same_v<Rule, no_rule>;

    attention_problem problem;             ///< with all sizes and strides in it
    attention_operands<In, Out> operands;  ///< tensors that are copied lie where their copies do
    Rule rule;
    attention_policy policy{};
    tune::attention_choice choice{};
    kernel::key_splits splits{.count = 1, .outputs = nullptr, .maxima = nullptr, .sums = nullptr};

    bool empty() const { return problem.batch == 0 || problem.heads == 0 || problem.seq_q == 0; }
    /// Cumulative ones, or those of each sequence.
    const int* lengths_q() const { return operands.lengths_q ? operands.lengths_q : operands.counts_q; }
    const int* lengths_k() const { return operands.lengths_k ? operands.lengths_k : operands.counts_k; }
    int page_count() const { return problem.page_count ? int(problem.page_count) : kernel::any_page; }
};

namespace detail {

template <class Setting>
std::string requested_words(const Setting& s) {
    const attention_problem& p = s.problem;
    const auto number = [](index n) { return std::to_string(n); };
    std::string out =
        "attention batch " + number(p.batch) + ", heads " + number(p.heads) + " over " + number(p.kv_heads) +
        ", " + number(p.seq_q) + " queries x " + number(p.seq_k) + " keys, head_dim " + number(p.head_dim) +
        (p.head_dim_v != p.head_dim ? " and " + number(p.head_dim_v) + " of v" : "") + ", " +
        fade::name(dtype_v<typename Setting::In>) + " to " + fade::name(dtype_v<typename Setting::Out>);
    if (p.causal != causal_kind::none) out += std::string(", causal ") + fade::name(p.causal);
    if (p.window_left >= 0 || p.window_right >= 0)
        out += ", window " + number(p.window_left) + "," + number(p.window_right);
    out += std::string(p.softcap > 0 ? ", softcap" : "") + (s.operands.alibi ? ", ALiBi" : "") +
           (s.operands.bias ? ", bias" : "") + (Setting::has_score_mod_rule ? ", a rule of one's own" : "") +
           (s.operands.sink ? ", sink" : "") + (p.dropout > 0 ? ", dropout" : "") +
           (s.lengths_q() || s.lengths_k() ? ", variable lengths" : "") +
           (s.operands.starts_k ? ", first keys" : "") +
           (p.page_size ? ", pages of " + number(p.page_size) : "");
    if constexpr (Setting::policies::passed) out += ", policy " + tune::in_words(Setting::policies::policy);
    return out;
}

}  // namespace detail

}  // namespace FADE_NAMESPACE

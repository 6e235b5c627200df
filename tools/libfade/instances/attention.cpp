// Attention of each type of inputs (FADE_C_TYPES), for the types of outputs that are usual.
#include "finds.hpp"
#include "types.hpp"
#include <fade/attention.hpp>

namespace fade::c {
namespace {

inline attention_strides strides_of(const fade_strides& s) { return {s.batch, s.position, s.head}; }

inline attention_problem problem_of(const fade_attention_args& a) {
    return {.batch = a.batch,
            .heads = a.heads,
            .kv_heads = a.kv_heads,
            .seq_q = a.seq_q,
            .seq_k = a.seq_k,
            .head_dim = a.head_dim,
            .head_dim_v = a.head_dim_v,
            .causal = causal_kind(a.causal),
            .window_left = a.window_left,
            .window_right = a.window_right,
            .scale = a.scale,
            .softcap = a.softcap,
            .dropout = a.dropout,
            .seed = a.seed,
            .offset = a.offset,
            .page_size = a.page_size,
            .table_width = a.table_width,
            .page_count = a.page_count,
            .q_strides = strides_of(a.q_strides),
            .k_strides = strides_of(a.k_strides),
            .v_strides = strides_of(a.v_strides),
            .o_strides = strides_of(a.o_strides),
            .bias_strides = {a.bias_batch, a.bias_head, a.bias_query},
            .alibi_stride = a.alibi_stride};
}

template <class In, class Out>
struct attention_runner {
    using arguments = fade_attention_args;

    static attention_operands<In, Out> operands_of(const arguments& a) {
        return {.q = static_cast<const In*>(a.q),
                .k = static_cast<const In*>(a.k),
                .v = static_cast<const In*>(a.v),
                .o = static_cast<Out*>(a.o),
                .lse = a.lse,
                .alibi = a.alibi,
                .bias = a.bias,
                .sink = a.sink,
                .lengths_q = a.lengths_q,
                .lengths_k = a.lengths_k,
                .counts_q = a.counts_q,
                .counts_k = a.counts_k,
                .starts_k = a.starts_k,
                .block_table = a.block_table,
                .scales = {a.scale_q, a.scale_k, a.scale_v, a.scales_per_head != 0}};
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        attention_options o{.split_kv = a.split_kv,
                            .strict = how.strict,
                            .workspace = how.workspace,
                            .workspace_bytes = how.workspace_bytes,
                            .tuned = how.tuned};
        if (a.check_indices >= 0) o.check_indices = a.check_indices != 0;
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<In, Out>())
            if (how.finds) {
                const attention_problem problem = problem_of(a);
                const attention_operands<In, Out> operands = operands_of(a);
                const no_rule plain;
                detail::attention_to_tune<In, Out, no_rule, device> attended(on, problem, operands, plain);
                return found_of(on, attended, how);
            }
#endif
        if (!how.plans) return {attention<In, Out>(on, problem_of(a), operands_of(a), o), {}, 0};
        attention_plan p = plan_attention<In, Out>(on, problem_of(a), operands_of(a), o);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
};

#if defined(FADE_C_TUNE)
template <class In>
bool give(tune::background& to, const fade_attention_args& a, int threads) {
    return to.attention<In>(problem_of(a), threads);
}
#endif

template <class In>
void add() {
    using out = std::conditional_t<is_float8<In>, bf16, In>;
    if constexpr (multiplied_here<In>())
        add_caller<operation::attention, In, out, attention_runner<In, out>>();
    add_find<operation::attention, In, out>();
#if defined(FADE_C_TUNE)
    if constexpr (is_given_here<In, out>())
        add_background<operation::attention, In, fade_attention_args, &give<In>>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

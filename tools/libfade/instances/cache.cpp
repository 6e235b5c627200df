// What keeps keys and values: append_kv, rotary and quantize, of each type of inputs (FADE_C_TYPES).
#include "types.hpp"
#include <fade/kv_cache.hpp>
#include <fade/quantize.hpp>
#include <fade/rotary.hpp>

namespace fade::c {
namespace {

inline attention_strides strides_of(const fade_strides& s) { return {s.batch, s.position, s.head}; }

inline append_problem problem_of(const fade_append_args& a) {
    return {.batch = a.batch,
            .heads = a.heads,
            .kv_heads = a.kv_heads,
            .new_positions = a.new_positions,
            .capacity = a.capacity,
            .head_dim = a.head_dim,
            .rotary_dim = a.rotary_dim,
            .style = a.interleaved ? rotary_style::interleaved : rotary_style::half,
            .rotary_stride = a.rotary_stride,
            .page_size = a.page_size,
            .table_width = a.table_width,
            .page_count = a.page_count,
            .new_k_strides = strides_of(a.new_k_strides),
            .new_v_strides = strides_of(a.new_v_strides),
            .k_strides = strides_of(a.k_strides),
            .v_strides = strides_of(a.v_strides),
            .q_strides = strides_of(a.q_strides),
            .q_out_strides = strides_of(a.q_out_strides)};
}

/// f of the type of tables: f32, or that of the inputs.
template <class In, class F>
outcome with_tables(fade_dtype tables, F&& f) {
    if (tables == FADE_F32) return f(float{});
    if (tables == int(dtype_v<In>)) return f(In{});
    throw error("tables", fade::name(dtype(tables)), "cos and sin have the type of what turns, or f32");
}

template <class In, class Cache>
struct append_runner {
    using arguments = fade_append_args;

    template <class Table>
    static append_operands<In, Cache, Table> operands_of(const arguments& a) {
        return {.new_k = static_cast<const In*>(a.new_k),
                .new_v = static_cast<const In*>(a.new_v),
                .k = static_cast<Cache*>(a.k),
                .v = static_cast<Cache*>(a.v),
                .q = static_cast<const In*>(a.q),
                .q_out = static_cast<Cache*>(a.q_out),
                .cos = static_cast<const Table*>(a.cos),
                .sin = static_cast<const Table*>(a.sin),
                .cache_lengths = a.cache_lengths,
                .new_lengths = a.new_lengths,
                .block_table = a.block_table};
    }
    template <class Table>
    static outcome with(device& on, const arguments& a, const manner& how) {
        const auto operands = operands_of<Table>(a);
        if (!how.plans) return {append_kv<In, Cache>(on, problem_of(a), operands), {}, 0};
        append_plan p = plan_append_kv<In, Cache>(on, problem_of(a), operands);
        return {std::move(p.report), std::move(p.launches), 0};
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        return with_tables<In>(a.tables, [&](auto t) { return with<decltype(t)>(on, a, how); });
    }
};

template <class In, class Out, operation Op>
struct rotary_runner {
    using arguments = fade_rotary_args;

    template <class Table>
    static outcome with(device& on, const arguments& a, const manner& how) {
        const rotary_problem p{
            .tokens = a.tokens,
            .heads = a.heads,
            .head_dim = a.head_dim,
            .rotary_dim = a.rotary_dim,
            .style = a.interleaved ? rotary_style::interleaved : rotary_style::half,
            .capacity = a.capacity,
            .first_position = a.first_position,
            .sequence = a.sequence,
            .table_stride = a.table_stride,
            .x_stride = a.x_stride,
            .y_stride = a.y_stride,
            .x_head_stride = a.x_head_stride,
            .y_head_stride = a.y_head_stride,
        };
        const rotary_operands<In, Out, Table> o{.x = static_cast<const In*>(a.x),
                                                .y = static_cast<Out*>(a.y),
                                                .cos = static_cast<const Table*>(a.cos),
                                                .sin = static_cast<const Table*>(a.sin),
                                                .positions = a.positions};
        operation_plan plan;
        const operation_options options = options_of(how, plan);
        if constexpr (Op == operation::rotary)
            return outcome_of(rotary<In, Out, Table>(on, p, o, options), std::move(plan));
        else
            return outcome_of(rotary_gradient<In, Out, Table>(on, p, o, options), std::move(plan));
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        return with_tables<In>(a.tables, [&](auto t) { return with<decltype(t)>(on, a, how); });
    }
};

template <class In, class Out>
struct quantize_runner {
    using arguments = fade_quantize_args;

    static outcome run(device& on, const arguments& a, const manner& how) {
        const quantize_problem p{.batch = a.batch,
                                 .positions = a.positions,
                                 .heads = a.heads,
                                 .head_dim = a.head_dim,
                                 .per_head = a.per_head != 0,
                                 .x_strides = strides_of(a.x_strides),
                                 .out_strides = strides_of(a.out_strides)};
        const quantize_operands<Out, In> o{
            .x = static_cast<const In*>(a.x), .out = static_cast<Out*>(a.out_elements), .scales = a.scales};
        const quantize_options options{.workspace = how.workspace, .workspace_bytes = how.workspace_bytes};
        if (!how.plans) return {quantize<Out, In>(on, p, o, options), {}, 0};
        quantize_plan plan = plan_quantize<Out, In>(on, p, o, options);
        return {std::move(plan.report), std::move(plan.launches), plan.workspace_bytes};
    }
};

template <class In, class... Caches>
void add_appends() {
    (add_caller<operation::append_kv, In, Caches, append_runner<In, Caches>>(), ...);
}
template <class In, class... Outs>
void add_quantizes() {
    (add_caller<operation::quantize, In, Outs, quantize_runner<In, Outs>>(), ...);
}
template <operation Op, class In>
void add_rotary() {
    add_caller<Op, In, In, rotary_runner<In, In, Op>>();
}

template <class In>
void add() {
    add_rotary<operation::rotary, In>(), add_rotary<operation::rotary_gradient, In>();
    add_appends<In, In, f8e4m3, f8e4m3fnuz>();
    add_quantizes<In, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz>();
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

// Products of groups of rows, of each type of inputs (FADE_C_TYPES), for results of the same and of f32: by a
// matrix of each group, and along the rows.
#include "stages.hpp"
#include "types.hpp"
#include <fade/grouped_gemm.hpp>

namespace fade::c {
namespace {

inline grouped_gemm_problem problem_of(const fade_grouped_gemm_args& g) {
    return {.rows = g.rows,
            .n = g.n,
            .k = g.k,
            .groups = g.groups,
            .layout = gemm_layout(g.layout),
            .alpha = g.alpha,
            .beta = g.beta,
            .rows_of_a = g.rows_of_a,
            .lda = g.lda,
            .ldb = g.ldb,
            .ldc = g.ldc,
            .ldd = g.ldd,
            .stride_b = g.stride_b};
}

template <class In, class Out>
struct grouped_runner {
    using arguments = fade_grouped_gemm_args;

    template <class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        const grouped_gemm_operands<In, Out> o{.a = static_cast<const In*>(g.a),
                                               .b = static_cast<const In*>(g.b),
                                               .c = static_cast<const Out*>(g.c),
                                               .d = static_cast<Out*>(g.d),
                                               .ends = g.ends,
                                               .row_list = g.row_list};
        grouped_gemm_options options{.strict = how.strict};
        if (g.check_indices >= 0) options.check_indices = g.check_indices == 1;
        if (!how.plans) return {grouped_gemm<In, Out>(on, problem_of(g), o, epilogue, options), {}, 0};
        gemm_plan p = plan_grouped_gemm<In, Out>(on, problem_of(g), o, epilogue, options);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with(on, g, epilogue::none{}, how);
        return with_stages<In, Out>(g.stages, g.stage_count,
                                    [&](const auto& chain) { return with(on, g, chain, how); });
    }
};

template <class In, class Out>
struct along_k_runner {
    using arguments = fade_grouped_k_gemm_args;

    template <class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        const grouped_k_gemm_problem p{.m = g.m,
                                       .n = g.n,
                                       .k = g.k,
                                       .groups = g.groups,
                                       .alpha = g.alpha,
                                       .beta = g.beta,
                                       .lda = g.lda,
                                       .ldb = g.ldb,
                                       .ldc = g.ldc,
                                       .ldd = g.ldd,
                                       .stride_c = g.stride_c,
                                       .stride_d = g.stride_d};
        const grouped_k_gemm_operands<In, Out> o{.a = static_cast<const In*>(g.a),
                                                 .b = static_cast<const In*>(g.b),
                                                 .c = static_cast<const Out*>(g.c),
                                                 .d = static_cast<Out*>(g.d),
                                                 .ends = g.ends};
        grouped_gemm_options options{.strict = how.strict};
        if (g.check_indices >= 0) options.check_indices = g.check_indices == 1;
        if (!how.plans) return {grouped_k_gemm<In, Out>(on, p, o, epilogue, options), {}, 0};
        gemm_plan plan = plan_grouped_k_gemm<In, Out>(on, p, o, epilogue, options);
        return {std::move(plan.report), std::move(plan.launches), plan.workspace_bytes};
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with(on, g, epilogue::none{}, how);
        return with_stages<In, Out>(g.stages, g.stage_count,
                                    [&](const auto& chain) { return with(on, g, chain, how); });
    }
};

template <class In>
void add() {
    add_caller<operation::grouped_gemm, In, In, grouped_runner<In, In>>();
    add_caller<operation::grouped_k_gemm, In, In, along_k_runner<In, In>>();
#if !defined(FADE_C_ARCH)
    add_caller<operation::grouped_gemm, In, float, grouped_runner<In, float>>();
    add_caller<operation::grouped_k_gemm, In, float, along_k_runner<In, float>>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

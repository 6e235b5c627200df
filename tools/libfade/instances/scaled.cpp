// Products with scales of 128 k, of each type of inputs (FADE_C_TYPES), for results of bf16 and f32.
#include "stages.hpp"
#include "types.hpp"
#include <fade/scaled_gemm.hpp>

namespace fade::c {
namespace {

inline scaled_gemm_problem problem_of(const fade_scaled_gemm_args& g) {
    return {.m = g.m,
            .n = g.n,
            .k = g.k,
            .layout = gemm_layout(g.layout),
            .lda = g.lda,
            .ldb = g.ldb,
            .ldd = g.ldd,
            .rows_per_scale = g.rows_per_scale,
            .columns_per_scale = g.columns_per_scale,
            .scale_a_row = g.scale_a_row,
            .scale_a_k = g.scale_a_k,
            .scale_b_column = g.scale_b_column,
            .scale_b_k = g.scale_b_k};
}

template <class In, class Out>
struct scaled_runner {
    using arguments = fade_scaled_gemm_args;

    template <class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        const scaled_gemm_operands<In, Out> o{.a = static_cast<const In*>(g.a),
                                              .b = static_cast<const In*>(g.b),
                                              .d = static_cast<Out*>(g.d),
                                              .scale_a = g.scale_a,
                                              .scale_b = g.scale_b};
        const scaled_gemm_options options{.strict = how.strict};
        if (!how.plans) return {scaled_gemm(on, problem_of(g), o, epilogue, options), {}, 0};
        gemm_plan p = plan_scaled_gemm(on, problem_of(g), o, epilogue, options);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with(on, g, epilogue::none{}, how);
        return with_stages<In, Out, lone_gates::as_chains, true>(
            g.stages, g.stage_count, [&](const auto& chain) { return with(on, g, chain, how); });
    }
};

template <class In>
void add() {
    add_caller<operation::scaled_gemm, In, bf16, scaled_runner<In, bf16>>();
#if !defined(FADE_C_ARCH)
    add_caller<operation::scaled_gemm, In, float, scaled_runner<In, float>>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

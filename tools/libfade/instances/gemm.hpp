// Matrix multiplications as C++ has them.
#pragma once
#include "gemm_problem.hpp"
#include "stages.hpp"
#include <fade/gemm.hpp>

namespace fade::c {

inline gemm_options options_of(const fade_gemm_args& g, const manner& how) {
    return {.strict = how.strict,
            .split_k = g.split_k,
            .workspace = how.workspace,
            .workspace_bytes = how.workspace_bytes,
            .tuned = how.tuned};
}

/// Runs or plans a product of operands of In, which may be two types.
template <class In, class Out, class Epilogue>
outcome product_of(device& on, const fade_gemm_args& g, const Epilogue& epilogue, const manner& how) {
    const gemm_operands<In, Out> o{static_cast<const element_of_a<In>*>(g.a),
                                   static_cast<const element_of_b<In>*>(g.b), static_cast<const Out*>(g.c),
                                   static_cast<Out*>(g.d)};
    if (!how.plans) return {gemm<In, Out>(on, problem_of(g), o, epilogue, options_of(g, how)), {}, 0};
    gemm_plan p = plan_gemm<In, Out>(on, problem_of(g), o, epilogue, options_of(g, how));
    return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
}

}  // namespace fade::c

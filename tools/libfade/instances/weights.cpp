// Products with quantised weights, of each type of inputs (FADE_C_TYPES) and results of the same: of one
// matrix, and of groups of rows.
#include "../error.hpp"
#include "stages.hpp"
#include "types.hpp"
#include <fade/moe.hpp>
#include <fade/weight_gemm.hpp>
#include <string_view>

namespace fade::c {
namespace {

/// The k of a problem that share a scale: formats that leave it open have 128 unless set.
template <weight_format Format, class Arguments>
index group_of(const Arguments& g) {
    return Format.leaves_group() ? g.group == 0 ? 128 : g.group : 0;
}

/// What both products have: sizes, factors and leading dimensions, and their memory.
template <class Problem, weight_format Format, class Arguments>
Problem problem_of(const Arguments& g) {
    Problem p;
    p.n = g.n, p.k = g.k, p.alpha = g.alpha, p.beta = g.beta;
    p.lda = g.lda, p.ldc = g.ldc, p.ldd = g.ldd, p.group = group_of<Format>(g);
    return p;
}
template <class Operands, weight_format Format, class T, class Arguments>
Operands operands_of(const Arguments& g) {
    Operands o;
    o.a = static_cast<const T*>(g.a), o.c = static_cast<const T*>(g.c), o.d = static_cast<T*>(g.d);
    o.weights = g.weights, o.zeros = g.zeros;
    o.scales = static_cast<const weight_scale_t<Format>*>(g.scales);
    return o;
}
/// What a call gives: run()'s report, or the plan that planned() makes.
template <class Run, class Planned>
outcome outcome_of(const manner& how, Run run, Planned planned) {
    if (!how.plans) return {run(), {}, 0};
    auto plan = planned();
    return {std::move(plan.report), std::move(plan.launches), plan.workspace_bytes};
}

template <class T>
struct product_of_weights {
    using arguments = fade_weight_gemm_args;

    template <weight_format Format, class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        auto p = problem_of<weight_gemm_problem, Format>(g);
        p.m = g.m;
        const auto o = operands_of<weight_gemm_operands<Format, T>, Format, T>(g);
        const weight_gemm_options options{.strict = how.strict,
                                          .split_k = g.split_k,
                                          .workspace = how.workspace,
                                          .workspace_bytes = how.workspace_bytes};
        return outcome_of(
            how, [&] { return weight_gemm<Format, T>(on, p, o, epilogue, options); },
            [&] { return plan_weight_gemm<Format, T>(on, p, o, epilogue, options); });
    }
};

template <class T>
struct product_of_groups {
    using arguments = fade_grouped_weight_gemm_args;

    template <weight_format Format, class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        auto p = problem_of<grouped_weight_gemm_problem, Format>(g);
        p.rows = g.rows, p.groups = g.groups, p.rows_of_a = g.rows_of_a;
        auto o = operands_of<grouped_weight_gemm_operands<Format, T>, Format, T>(g);
        o.ends = g.ends, o.row_list = g.row_list;
        grouped_weight_gemm_options options;
        if (g.check_indices >= 0) options.check_indices = g.check_indices == 1;
        return outcome_of(
            how, [&] { return grouped_weight_gemm<Format, T>(on, p, o, epilogue, options); },
            [&] { return plan_grouped_weight_gemm<Format, T>(on, p, o, epilogue, options); });
    }
};

/// A product by the kernels of its format, group and stages.
template <class T, class Product>
struct weight_runner {
    using arguments = typename Product::arguments;
    static constexpr bool of_one = std::is_same_v<arguments, fade_weight_gemm_args>;

    template <weight_format Format>
    static outcome of(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return Product::template with<Format>(on, g, epilogue::none{}, how);
        return with_stages<T, T, lone_gates::as_chains, true>(
            g.stages, g.stage_count,
            [&](const auto& chain) { return Product::template with<Format>(on, g, chain, how); });
    }
    /// A format of groups of any size. GPUs have kernels of their own for groups of 128 k, which are the most
    /// frequent: where rows are few, a scale is read once for several slices of k. NVIDIA's have them for 32
    /// and 64, too: their kernels of up to 64 rows want a group that is known.
    template <auto Format>
    static outcome of_group(device& on, const arguments& g, const manner& how) {
        if constexpr (learns_arch<device>)
            if (g.group == 0 || g.group == 128) return of<Format(128)>(on, g, how);
        if constexpr (of_one && std::string_view(gpu_kind) == "cuda") {
            if (g.group == 32) return of<Format(32)>(on, g, how);
            if (g.group == 64) return of<Format(64)>(on, g, how);
        }
        return of<Format(weights::any_group)>(on, g, how);
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        switch (g.format) {
        case FADE_WEIGHTS_GPTQ:
            return of_group<[](int group) { return weights::gptq(group); }>(on, g, how);
        case FADE_WEIGHTS_AWQ:
            return of_group<[](int group) { return weights::awq(group); }>(on, g, how);
        case FADE_WEIGHTS_INT8:
            return of<weights::int8_rows()>(on, g, how);
        case FADE_WEIGHTS_MXFP4:
            return of<weights::mxfp4()>(on, g, how);
        case FADE_WEIGHTS_MXFP8:
            return of<weights::mxfp8()>(on, g, how);
        default:
            return of<weights::nvfp4()>(on, g, how);
        }
    }
};

template <class T>
void add() {
    add_caller<operation::weight_gemm, T, T, weight_runner<T, product_of_weights<T>>>();
    add_caller<operation::grouped_weight_gemm, T, T, weight_runner<T, product_of_groups<T>>>();
}
const bool added = of_each_type([]<class T>(type_of<T>) { add<T>(); });

}  // namespace
}  // namespace fade::c

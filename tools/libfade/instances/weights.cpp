// Products with quantised weights, of one type of inputs (FADE_C_TYPE) and results of the same.
#include "stages.hpp"
#include <fade/weight_gemm.hpp>

namespace fade::c {
namespace {

template <class T>
struct weight_runner {
    using arguments = fade_weight_gemm_args;

    template <weight_format Format, class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        const weight_gemm_problem p{.m = g.m,
                                    .n = g.n,
                                    .k = g.k,
                                    .alpha = g.alpha,
                                    .beta = g.beta,
                                    .lda = g.lda,
                                    .ldc = g.ldc,
                                    .ldd = g.ldd};
        const weight_gemm_operands<Format, T> o{.a = static_cast<const T*>(g.a),
                                                .weights = g.weights,
                                                .scales =
                                                    static_cast<const weight_scale_t<Format>*>(g.scales),
                                                .zeros = g.zeros,
                                                .c = static_cast<const T*>(g.c),
                                                .d = static_cast<T*>(g.d)};
        const weight_gemm_options options{.strict = how.strict,
                                          .split_k = g.split_k,
                                          .workspace = how.workspace,
                                          .workspace_bytes = how.workspace_bytes};
        if (!how.plans) return {weight_gemm<Format, T>(on, p, o, epilogue, options), {}, 0};
        weight_gemm_plan plan = plan_weight_gemm<Format, T>(on, p, o, epilogue, options);
        return {std::move(plan.report), std::move(plan.launches), plan.workspace_bytes};
    }
    template <weight_format Format>
    static outcome of(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with<Format>(on, g, epilogue::none{}, how);
        return with<Format>(on, g, chain_of<T>(g.stages, g.stage_count), how);
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        switch (g.format) {
        case FADE_WEIGHTS_GPTQ:
            return of<weights::gptq()>(on, g, how);
        case FADE_WEIGHTS_AWQ:
            return of<weights::awq()>(on, g, how);
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

using in = fade::FADE_C_TYPE;
const add_caller<operation::weight_gemm, in, in, weight_runner<in>> same;

}  // namespace
}  // namespace fade::c

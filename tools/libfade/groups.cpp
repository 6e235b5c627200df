// The functions of fade.h for groups of rows and mixtures of experts.
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_grouped_gemm_args defaults<fade_grouped_gemm_args>{.size = sizeof(fade_grouped_gemm_args),
                                                                     .in = FADE_F32,
                                                                     .out = FADE_F32,
                                                                     .layout = FADE_NT,
                                                                     .check_indices = -1,
                                                                     .alpha = 1,
                                                                     .stride_b = -1};
template <>
inline const fade_grouped_k_gemm_args defaults<fade_grouped_k_gemm_args>{.size =
                                                                             sizeof(fade_grouped_k_gemm_args),
                                                                         .in = FADE_F32,
                                                                         .out = FADE_F32,
                                                                         .check_indices = -1,
                                                                         .alpha = 1,
                                                                         .stride_c = -1,
                                                                         .stride_d = -1};
template <>
inline const fade_moe_route_args defaults<fade_moe_route_args>{.size = sizeof(fade_moe_route_args),
                                                               .in = FADE_F32,
                                                               .top_k = 1,
                                                               .renormalize = 1,
                                                               .weight_scale = 1,
                                                               .logits_stride = -1};
template <>
inline const fade_moe_dispatch_args defaults<fade_moe_dispatch_args>{.size = sizeof(fade_moe_dispatch_args),
                                                                     .top_k = 1};
template <>
inline const fade_moe_combine_args defaults<fade_moe_combine_args>{.size = sizeof(fade_moe_combine_args),
                                                                   .in = FADE_F32,
                                                                   .out = FADE_F32,
                                                                   .top_k = 1,
                                                                   .x_stride = -1,
                                                                   .y_stride = -1};

template <>
void check_fields(const fade_grouped_gemm_args& g, operation) {
    require_one_of(g.layout, 2, "layout", "the layouts of a grouped product are FADE_NN and FADE_NT");
    check_choice(g.check_indices);
    check_stages(g.stages, g.stage_count, 1);
}
template <>
void check_fields(const fade_grouped_k_gemm_args& g, operation) {
    check_choice(g.check_indices);
    check_stages(g.stages, g.stage_count, 1);
}
template <>
void check_fields(const fade_moe_route_args& a, operation) {
    require_one_of(a.scoring, 2, "scoring", "a fade_moe_scoring is FADE_MOE_SOFTMAX or FADE_MOE_SIGMOID");
}

}  // namespace fade::c

FADE_C_INIT(fade_grouped_gemm_init, fade_grouped_gemm_args)
FADE_C_INIT(fade_grouped_k_gemm_init, fade_grouped_k_gemm_args)
FADE_C_INIT(fade_moe_route_init, fade_moe_route_args)
FADE_C_INIT(fade_moe_dispatch_init, fade_moe_dispatch_args)
FADE_C_INIT(fade_moe_combine_init, fade_moe_combine_args)
FADE_C_CALL(fade_grouped_gemm, fade_grouped_gemm_args, grouped_gemm)
FADE_C_CALL(fade_grouped_k_gemm, fade_grouped_k_gemm_args, grouped_k_gemm)
FADE_C_CALL(fade_moe_route, fade_moe_route_args, moe_route)
FADE_C_CALL(fade_moe_dispatch, fade_moe_dispatch_args, moe_dispatch)
FADE_C_CALL(fade_moe_combine, fade_moe_combine_args, moe_combine)

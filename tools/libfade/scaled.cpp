// The functions of fade.h for products of 8-bit floats with scales of 128 k.
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_scaled_gemm_args defaults<fade_scaled_gemm_args>{.size = sizeof(fade_scaled_gemm_args),
                                                                   .in = FADE_F8E4M3,
                                                                   .out = FADE_BF16,
                                                                   .layout = FADE_NT,
                                                                   .rows_per_scale = 1,
                                                                   .columns_per_scale = 128,
                                                                   .scale_a_k = 1,
                                                                   .scale_b_k = 1};

template <>
void check_fields(const fade_scaled_gemm_args& g, operation) {
    require_one_of(g.layout, 4, "layout", "a fade_layout is one of FADE_NN, FADE_NT, FADE_TN and FADE_TT");
    check_stages(g.stages, g.stage_count, 1);
}

}  // namespace fade::c

FADE_C_INIT(fade_scaled_gemm_init, fade_scaled_gemm_args)
FADE_C_CALL(fade_scaled_gemm, fade_scaled_gemm_args, scaled_gemm)

// The functions of fade.h for products with quantised weights.
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_weight_gemm_args defaults<fade_weight_gemm_args>{
    .size = sizeof(fade_weight_gemm_args), .in = FADE_F16, .out = FADE_F16, .alpha = 1};

template <>
void check_fields(const fade_weight_gemm_args& g, operation) {
    require_one_of(g.format, FADE_WEIGHTS_NVFP4 + 1, "format",
                   "a fade_weights is one of FADE_WEIGHTS_GPTQ to FADE_WEIGHTS_NVFP4");
    check_stages(g.stages, g.stage_count, 0);
}

}  // namespace fade::c

FADE_C_INIT(fade_weight_gemm_init, fade_weight_gemm_args)
FADE_C_CALL(fade_weight_gemm, fade_weight_gemm_args, weight_gemm)

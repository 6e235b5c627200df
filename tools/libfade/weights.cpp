// The functions of fade.h for products with quantised weights.
#include "call.hpp"
#include <bit>

namespace fade::c {

template <>
inline const fade_weight_gemm_args defaults<fade_weight_gemm_args>{
    .size = sizeof(fade_weight_gemm_args), .in = FADE_F16, .out = FADE_F16, .alpha = 1};

template <>
inline const fade_grouped_weight_gemm_args defaults<fade_grouped_weight_gemm_args>{
    .size = sizeof(fade_grouped_weight_gemm_args),
    .in = FADE_F16,
    .out = FADE_F16,
    .check_indices = -1,
    .alpha = 1};

template <class S>
void check_weights(const S& g) {
    require_one_of(g.format, FADE_WEIGHTS_NVFP4 + 1, "format",
                   "a fade_weights is one of FADE_WEIGHTS_GPTQ to FADE_WEIGHTS_NVFP4");
    check_stages(g.stages, g.stage_count, 1);
    const bool grouped = g.format == FADE_WEIGHTS_GPTQ || g.format == FADE_WEIGHTS_AWQ;
    if (!grouped && g.group != 0)
        throw error("group", std::to_string(g.group),
                    "only GPTQ and AWQ have groups of several sizes: let it be 0");
    if (g.group < -1 || (g.group > 0 && (g.group < 16 || !std::has_single_bit(std::uint64_t(g.group)))))
        throw error("group", std::to_string(g.group),
                    "it is a power of two, at least 16, or -1 for all of k, or 0 for 128");
}
template <>
void check_fields(const fade_weight_gemm_args& g, operation) {
    check_weights(g);
}
template <>
void check_fields(const fade_grouped_weight_gemm_args& g, operation) {
    check_weights(g);
    check_choice(g.check_indices);
}

}  // namespace fade::c

FADE_C_INIT(fade_weight_gemm_init, fade_weight_gemm_args)
FADE_C_INIT(fade_grouped_weight_gemm_init, fade_grouped_weight_gemm_args)
FADE_C_CALL(fade_weight_gemm, fade_weight_gemm_args, weight_gemm)
FADE_C_CALL(fade_grouped_weight_gemm, fade_grouped_weight_gemm_args, grouped_weight_gemm)

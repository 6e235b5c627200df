// The functions of fade.h for products by tables of pointers.
#include "call.hpp"

namespace fade::c {

template <>
inline const fade_batched_gemm_args defaults<fade_batched_gemm_args>{.size = sizeof(fade_batched_gemm_args),
                                                                     .in = FADE_F32,
                                                                     .out = FADE_F32,
                                                                     .alignment = 16,
                                                                     .check_pointers = -1,
                                                                     .batch = 1,
                                                                     .alpha = 1};

template <>
void check_fields(const fade_batched_gemm_args& g, operation) {
    require_one_of(g.layout, 4, "layout", "a fade_layout is one of FADE_NN, FADE_NT, FADE_TN and FADE_TT");
    check_choice(g.check_pointers, "check_pointers");
    check_stages(g.stages, g.stage_count, 1);
}

}  // namespace fade::c

FADE_C_INIT(fade_batched_gemm_init, fade_batched_gemm_args)
FADE_C_CALL(fade_batched_gemm, fade_batched_gemm_args, batched_gemm)

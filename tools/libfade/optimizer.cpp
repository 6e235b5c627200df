// The functions of fade_optimizer.h.
#include "call.hpp"
#include <fade/kernel/optimizer/problem.hpp>

namespace fade::c {

template <>
inline const fade_sgd_args defaults<fade_sgd_args>{
    .size = sizeof(fade_sgd_args), .in = FADE_F32, .out = FADE_F32, .loss_scale = 1};
template <>
inline const fade_adamw_args defaults<fade_adamw_args>{.size = sizeof(fade_adamw_args),
                                                       .in = FADE_F32,
                                                       .out = FADE_F32,
                                                       .step = 1,
                                                       .rate = adamw_problem{}.rate,
                                                       .beta1 = adamw_problem{}.beta1,
                                                       .beta2 = adamw_problem{}.beta2,
                                                       .epsilon = adamw_problem{}.epsilon,
                                                       .weight_decay = adamw_problem{}.weight_decay,
                                                       .loss_scale = 1};
template <>
inline const fade_nonfinite_args defaults<fade_nonfinite_args>{.size = sizeof(fade_nonfinite_args),
                                                               .in = FADE_F32};

template <>
void check_fields(const fade_sgd_args& a, operation) {
    require_one_of(a.nesterov, 2, "nesterov", "it is 0 or 1");
}

}  // namespace fade::c

FADE_C_INIT(fade_sgd_init, fade_sgd_args)
FADE_C_INIT(fade_adamw_init, fade_adamw_args)
FADE_C_INIT(fade_nonfinite_init, fade_nonfinite_args)
FADE_C_CALL(fade_sgd_step, fade_sgd_args, sgd_step)
FADE_C_CALL(fade_adamw_step, fade_adamw_args, adamw_step)
FADE_C_CALL(fade_find_nonfinite, fade_nonfinite_args, find_nonfinite)

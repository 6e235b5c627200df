#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(sm_90a, f16, f16, 80, 9)
FADE_GROUPED_SUITE(sm_90a, bf16, f32, 60, 9)
FADE_GROUPED_SUITE(sm_90a, i8, i32, 40, 4)
FADE_GROUPED_SUITE(sm_90a, f64, f64, 40, 4)

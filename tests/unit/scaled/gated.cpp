#include "common/scaled_suite.hpp"

FADE_SCALED_GATES(host, f8e5m2, f32, 40, 1)
FADE_SCALED_GATES(gfx942, f8e4m3fnuz, bf16, 20, 9)
FADE_SCALED_GATES(sm_90a, f8e4m3, bf16, 20, 11)

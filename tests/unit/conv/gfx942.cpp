#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx942, f16, 60, 10)
FADE_CONV_SUITE(gfx942, f32, 30, 8)

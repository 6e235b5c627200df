#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx90a, f64, 30, 8)
FADE_CONV_SUITE(gfx90a, bf16, 40, 10)

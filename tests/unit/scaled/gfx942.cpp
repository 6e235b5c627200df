#include "common/scaled_suite.hpp"

FADE_SCALED_SUITE(gfx942, f8e4m3fnuz, bf16, 40, 9)

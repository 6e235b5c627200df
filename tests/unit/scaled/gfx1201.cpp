#include "common/scaled_suite.hpp"

FADE_SCALED_SUITE(gfx1201, f8e5m2, bf16, 40, 9)

#include "common/scaled_suite.hpp"

FADE_SCALED_SUITE(gfx950, f8e4m3, f16, 40, 9)

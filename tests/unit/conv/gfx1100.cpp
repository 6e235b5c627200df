#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx1100, bf16, 60, 10)

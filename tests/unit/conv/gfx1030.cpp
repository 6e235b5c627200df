#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx1030, f16, 60, 10)

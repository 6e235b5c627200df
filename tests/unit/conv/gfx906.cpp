#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx906, f16, 60, 10)

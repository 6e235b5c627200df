#include "common/conv_suite.hpp"

FADE_CONV_SUITE(sm_80, f16, 60, 10)
FADE_CONV_SUITE(sm_80, f64, 40, 8)

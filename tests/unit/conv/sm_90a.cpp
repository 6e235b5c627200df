#include "common/conv_suite.hpp"

FADE_CONV_SUITE(sm_90a, f16, 60, 10)

#include "common/conv_suite.hpp"

FADE_CONV_SUITE(sm_80, f16, 60, 10)

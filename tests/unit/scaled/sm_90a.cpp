#include "common/scaled_suite.hpp"

FADE_SCALED_SUITE(sm_90a, f8e4m3, bf16, 40, 11)

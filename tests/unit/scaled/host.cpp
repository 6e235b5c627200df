#include "common/scaled_suite.hpp"

FADE_SCALED_SUITE(host, f8e4m3, bf16, 60, 1)
FADE_SCALED_SUITE(host, f8e5m2fnuz, f32, 30, 1)

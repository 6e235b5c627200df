#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(host, f32, f32, 200, 1)
FADE_GROUPED_SUITE(host, f16, f16, 100, 1)
FADE_GROUPED_SUITE(host, bf16, f32, 100, 1)
FADE_GROUPED_SUITE(host, f64, f64, 100, 1)

#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(gfx942, f16, f16, 80, 5)
FADE_GROUPED_SUITE(gfx942, i8, f32, 40, 5)

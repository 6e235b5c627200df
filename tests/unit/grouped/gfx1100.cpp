#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(gfx1100, f16, f16, 80, 5)

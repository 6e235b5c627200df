#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(gfx1030, f16, f16, 80, 5)

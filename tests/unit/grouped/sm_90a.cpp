#include "common/grouped_suite.hpp"

FADE_GROUPED_SUITE(sm_90a, f16, f16, 80, 5)

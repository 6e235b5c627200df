#include "common/gemm_suite.hpp"

FADE_GEMM_SUITE(gfx1250)

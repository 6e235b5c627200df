#include "common/gemm_suite.hpp"

FADE_GEMM_SUITE(sm_90a)

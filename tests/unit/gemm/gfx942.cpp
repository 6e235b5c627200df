#include "common/gemm_suite.hpp"

FADE_GEMM_SUITE(gfx942)
TEST_CASE("gfx942 f16, medium tiles") { fade::test::medium_suite<fade::arch::gfx942, fade::f16>(); }

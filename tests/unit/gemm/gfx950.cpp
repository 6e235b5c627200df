#include "common/gemm_suite.hpp"

FADE_GEMM_SUITE(gfx950)
TEST_CASE("gfx950 f16, medium tiles") { fade::test::medium_suite<fade::arch::gfx950, fade::f16>(); }

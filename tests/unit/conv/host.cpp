#include "common/conv_suite.hpp"

FADE_CONV_SUITE(host, f32, 150, 4)
FADE_CONV_SUITE(host, f64, 60, 4)
FADE_CONV_SUITE(host, f16, 60, 4)
FADE_CONV_SUITE(host, bf16, 150, 4)
TEST_CASE("host bf16 to f32") { fade::test::conv_suite<fade::arch::host, fade::bf16, float>(60, 4); }

#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx1201, f16, 60, 10)

TEST_CASE("gfx1201 i8 with zero points") {
    fade::test::quantized_suite<fade::arch::gfx1201, fade::i8, fade::i32>(12);
}
TEST_CASE("gfx1201 f8e4m3 with scales, to i8") {
    fade::test::quantized_suite<fade::arch::gfx1201, fade::f8e4m3, fade::i8>(12);
}

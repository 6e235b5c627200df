#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx1030, f16, 60, 10)

TEST_CASE("gfx1030 i8 with zero points") {
    fade::test::quantized_suite<fade::arch::gfx1030, fade::i8, fade::i32>(12);
}

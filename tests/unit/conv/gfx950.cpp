#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx950, f16, 60, 10)

TEST_CASE("gfx950 i8 with zero points") {
    fade::test::quantized_suite<fade::arch::gfx950, fade::i8, fade::i32>(12);
}

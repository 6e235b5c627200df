#include "common/conv_beside.hpp"
#include "common/conv_folded.hpp"
#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(gfx1100, bf16, 60, 10)

TEST_CASE("gfx1100 i8 with zero points") {
    fade::test::quantized_suite<fade::arch::gfx1100, fade::i8, fade::i8>(24);
}

TEST_CASE("gfx1100: pixels of x beside each other") {
    fade::test::check_beside<fade::arch::gfx1100, fade::bf16>(16);
}
TEST_CASE("gfx1100: taps are channels of a copy") {
    fade::test::check_folded<fade::arch::gfx1100, fade::bf16>(16);
}
TEST_CASE("gfx1100: zeros that strides make") {
    fade::test::check_zeros_of_strides<fade::arch::gfx1100, fade::bf16>();
}

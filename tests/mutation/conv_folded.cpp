// Fails when a convolution of few channels, whose taps become channels of a copy, is wrong: random problems
// on an emulated GPU. Exit 1 at the first that is.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/conv_folded.hpp"

TEST_CASE("folded taps") { fade::test::check_folded<fade::arch::gfx1100, fade::bf16>(16); }

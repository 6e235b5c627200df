// The halves of a wave exchange registers (WMMA of RDNA3).
#include <doctest/doctest.h>
#include "common/attention_case.hpp"

TEST_CASE("attention on gfx1100") {
    fade::test::attention_suite<fade::arch::gfx1100, fade::f16, 64, fade::tune::attention_variant::plain>(12);
    fade::test::attention_suite<fade::arch::gfx1100, fade::f16, 64, fade::tune::attention_variant::general>(12);
}

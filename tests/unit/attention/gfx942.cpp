// The chain of both products stays in registers (MFMA).
#include <doctest/doctest.h>
#include "common/attention_case.hpp"

TEST_CASE("attention on gfx942") {
    fade::test::attention_suite<fade::arch::gfx942, fade::f16, 64, fade::tune::attention_variant::plain>(12);
    fade::test::attention_suite<fade::arch::gfx942, fade::f16, 64, fade::tune::attention_variant::general>(12);
}

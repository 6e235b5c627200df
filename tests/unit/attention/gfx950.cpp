// MFMA of twice the depth.
#include <doctest/doctest.h>
#include "common/attention_case.hpp"

TEST_CASE("attention on gfx950") {
    fade::test::attention_suite<fade::arch::gfx950, fade::bf16, 64, fade::tune::attention_variant::plain>(12);
    fade::test::attention_suite<fade::arch::gfx950, fade::bf16, 64, fade::tune::attention_variant::general>(12);
}

// The chain stays in registers (WMMA of RDNA4).
#include <doctest/doctest.h>
#include "common/attention_case.hpp"

TEST_CASE("attention on gfx1201") {
    fade::test::attention_suite<fade::arch::gfx1201, fade::bf16, 64, fade::tune::attention_variant::plain>(12);
    fade::test::attention_suite<fade::arch::gfx1201, fade::bf16, 64, fade::tune::attention_variant::general>(12);
}

// Weights pass through shared memory (outer products).
#include <doctest/doctest.h>
#include "common/attention_case.hpp"

TEST_CASE("attention on gfx1030") {
    fade::test::attention_suite<fade::arch::gfx1030, fade::f16, 64, fade::tune::attention_variant::plain>(12);
    fade::test::attention_suite<fade::arch::gfx1030, fade::f16, 64, fade::tune::attention_variant::general>(12);
}

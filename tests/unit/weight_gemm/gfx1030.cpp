#include "common/weight_suite.hpp"

TEST_CASE("gfx1030") { fade::test::weight_suites<fade::arch::gfx1030>(25, 4); }
TEST_CASE("gfx1030, bf16 of AWQ as f32") {
    fade::test::weight_suite<fade::arch::gfx1030, fade::weights::awq(32), fade::bf16>(20, 4);
}

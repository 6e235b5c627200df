#include "common/weight_suite.hpp"

TEST_CASE("gfx906") { fade::test::main_weight_suites<fade::arch::gfx906>(20, 4); }
TEST_CASE("gfx906, bf16 of AWQ as f32") {
    fade::test::weight_suite<fade::arch::gfx906, fade::weights::awq(32), fade::bf16>(20, 4);
}

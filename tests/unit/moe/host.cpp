#include "common/moe_suite.hpp"

TEST_CASE("host f32") { fade::test::moe_suite<fade::arch::host, fade::f32>(100); }
TEST_CASE("host bf16") { fade::test::moe_suite<fade::arch::host, fade::bf16>(100); }

#include "common/moe_suite.hpp"

TEST_CASE("gfx1100 bf16") { fade::test::moe_suite<fade::arch::gfx1100, fade::bf16>(30); }

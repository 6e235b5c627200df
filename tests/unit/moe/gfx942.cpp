#include "common/moe_suite.hpp"

TEST_CASE("gfx942 f16") { fade::test::moe_suite<fade::arch::gfx942, fade::f16>(30); }

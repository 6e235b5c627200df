#include "common/moe_suite.hpp"

TEST_CASE("sm_90a f16") { fade::test::moe_suite<fade::arch::sm_90a, fade::f16>(20); }

#include "common/image_suite.hpp"

TEST_CASE("pooling, gfx942 f16") { fade::test::pool_suite<fade::arch::gfx942, fade::f16>(40); }

#include "common/image_suite.hpp"

TEST_CASE("pooling, gfx1100 f32") { fade::test::pool_suite<fade::arch::gfx1100, fade::f32>(40); }

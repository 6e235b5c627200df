#include "common/image_suite.hpp"

TEST_CASE("pooling, gfx1100 f32") { fade::test::pool_suite<fade::arch::gfx1100, fade::f32>(40); }
TEST_CASE("batch normalisation, gfx1100 f32") {
    fade::test::batch_norm_suite<fade::arch::gfx1100, fade::f32>(25);
}
TEST_CASE("resampling, gfx1100 f32") { fade::test::sample_suite<fade::arch::gfx1100, fade::f32>(30); }

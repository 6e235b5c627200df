#include "common/image_suite.hpp"

TEST_CASE("pooling, gfx942 f16") { fade::test::pool_suite<fade::arch::gfx942, fade::f16>(40); }
TEST_CASE("batch normalisation, gfx942 f16") {
    fade::test::batch_norm_suite<fade::arch::gfx942, fade::f16>(25);
}
TEST_CASE("resampling, gfx942 f16") { fade::test::sample_suite<fade::arch::gfx942, fade::f16>(30); }

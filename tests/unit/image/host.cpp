#include "common/image_suite.hpp"

TEST_CASE("pooling, host f32") { fade::test::pool_suite<fade::arch::host, fade::f32>(60); }
TEST_CASE("pooling, host bf16") { fade::test::pool_suite<fade::arch::host, fade::bf16>(60); }
TEST_CASE("batch normalisation, host f32") { fade::test::batch_norm_suite<fade::arch::host, fade::f32>(60); }
TEST_CASE("batch normalisation, host bf16") {
    fade::test::batch_norm_suite<fade::arch::host, fade::bf16>(60);
}
TEST_CASE("resampling, host f32") { fade::test::sample_suite<fade::arch::host, fade::f32>(100); }
TEST_CASE("resampling, host bf16") { fade::test::sample_suite<fade::arch::host, fade::bf16>(100); }

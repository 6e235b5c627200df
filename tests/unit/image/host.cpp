#include "common/image_suite.hpp"

TEST_CASE("pooling, host f32") { fade::test::pool_suite<fade::arch::host, fade::f32>(60); }
TEST_CASE("pooling, host bf16") { fade::test::pool_suite<fade::arch::host, fade::bf16>(60); }

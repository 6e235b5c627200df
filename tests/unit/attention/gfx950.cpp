// MFMA of twice the depth.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx950") {
    fade::test::some_kernels<fade::arch::gfx950, {64, 256}> device;
    fade::test::attention_suite<fade::bf16>(device, 256, 10);
    fade::test::attention_suite<fade::f8e4m3, fade::bf16>(device, 100, 5);
}

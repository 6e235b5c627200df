// MFMA with bf16 of full rate.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx90a") {
    fade::test::some_kernels<fade::arch::gfx90a, {64, 128}> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

// MFMA with bf16 of full rate.
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx90a") {
    fade::emulated_device<fade::arch::gfx90a> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

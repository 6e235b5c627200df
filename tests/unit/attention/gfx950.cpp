// MFMA of twice the depth.
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx950") {
    fade::emulated_device<fade::arch::gfx950> device;
    fade::test::attention_suite<fade::bf16>(device, 256, 10);
}

// WMMA of RDNA3.5.
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx1151") {
    fade::emulated_device<fade::arch::gfx1151> device;
    fade::test::attention_suite<fade::bf16>(device, 64, 10);
}

// The chain stays in registers (WMMA of RDNA4).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx1201") {
    fade::emulated_device<fade::arch::gfx1201> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

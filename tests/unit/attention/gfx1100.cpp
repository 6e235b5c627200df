// The halves of a wave exchange registers (WMMA of RDNA3).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx1100") {
    fade::emulated_device<fade::arch::gfx1100> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

// WMMA of RDNA4.
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx1200") {
    fade::emulated_device<fade::arch::gfx1200> device;
    fade::test::attention_suite<fade::f16>(device, 256, 10);
}

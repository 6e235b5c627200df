// WMMA of RDNA4.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1200") {
    fade::test::some_kernels<fade::arch::gfx1200, {64, 256}> device;
    fade::test::attention_suite<fade::f16>(device, 256, 10);
}

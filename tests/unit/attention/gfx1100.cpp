// The halves of a wave exchange registers (WMMA of RDNA3).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1100") {
    fade::test::some_kernels<fade::arch::gfx1100, {64, 128}> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

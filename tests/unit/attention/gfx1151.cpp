// WMMA of RDNA3.5.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1151") {
    fade::test::some_kernels<fade::arch::gfx1151, {64, 64}> device;
    fade::test::attention_suite<fade::bf16>(device, 64, 10);
}

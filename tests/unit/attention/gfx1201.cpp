// The chain stays in registers (WMMA of RDNA4).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1201") {
    fade::test::some_kernels<fade::arch::gfx1201, {64, 256}> device;
    fade::test::attention_suite<fade::bf16>(device, 256, 10);
}

// WMMA of 32 deep tiles, an architecture that is emulated alone.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1250") {
    fade::test::some_kernels<fade::arch::gfx1250, {64, 128}> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

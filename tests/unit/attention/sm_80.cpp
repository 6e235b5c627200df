// The chain stays in registers, two queries a lane (mma.sync with exchanged operands).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on sm_80") {
    fade::test::some_kernels<fade::arch::sm_80, {64, 128}> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

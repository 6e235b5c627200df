// The chain stays in registers, two queries a lane (mma.sync with exchanged operands).
#include "common/attention_suite.hpp"

TEST_CASE("attention on sm_80") {
    fade::emulated_device<fade::arch::sm_80> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

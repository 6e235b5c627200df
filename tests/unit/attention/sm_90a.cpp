// Four waves share a matrix unit that reads shared memory itself: rings of asynchronous copies, products that run beside the softmax.
#include "common/attention_suite.hpp"

TEST_CASE("attention on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

TEST_CASE("attention of wide heads on sm_90a takes two groups of waves") {
    fade::emulated_device<fade::arch::sm_90a> device;
    fade::test::attention_suite<fade::f16>(device, 256, 4);
}

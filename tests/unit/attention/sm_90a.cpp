// Four waves share a matrix unit that reads shared memory itself: rings of asynchronous copies, products that run beside the softmax.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on sm_90a") {
    fade::test::some_kernels<fade::arch::sm_90a, {64, 128}> device;
    fade::test::attention_suite<fade::bf16>(device, 128, 10);
}

TEST_CASE("attention of wide heads on sm_90a takes two groups of waves") {
    fade::test::some_kernels<fade::arch::sm_90a, {64, 256}> device;
    fade::test::attention_suite<fade::f16>(device, 256, 4);
}

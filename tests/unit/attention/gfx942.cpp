// The chain of both products stays in registers (MFMA).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx942") {
    fade::test::some_kernels<fade::arch::gfx942, {64, 128}> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

TEST_CASE("8-bit attention on gfx942 loses no more than f16") {
    fade::test::some_kernels<fade::arch::gfx942, {64, 128}> device;
    fade::test::attention_suite<fade::f8e4m3fnuz, fade::f16>(device, 100, 5);
}

// The chain of both products stays in registers (MFMA).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx942") {
    fade::emulated_device<fade::arch::gfx942> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

TEST_CASE("8-bit attention on gfx942 loses no more than f16") {
    fade::emulated_device<fade::arch::gfx942> device;
    fade::test::attention_suite<fade::f8e4m3fnuz, fade::f16>(device, 100, 5);
}

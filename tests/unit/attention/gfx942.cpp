// The chain of both products stays in registers (MFMA).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx942") {
    fade::emulated_device<fade::arch::gfx942> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

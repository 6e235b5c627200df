// MFMA whose operands hold four elements.
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx908") {
    fade::emulated_device<fade::arch::gfx908> device;
    fade::test::attention_suite<fade::bf16>(device, 64, 10);
}

// Weights pass through shared memory (outer products in waves of 64 lanes).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx906") {
    fade::emulated_device<fade::arch::gfx906> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

// Weights pass through shared memory (outer products).
#include "common/attention_suite.hpp"

TEST_CASE("attention on gfx1030") {
    fade::emulated_device<fade::arch::gfx1030> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

// Weights pass through shared memory (outer products).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx1030") {
    fade::test::some_kernels<fade::arch::gfx1030, {64, 128}> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

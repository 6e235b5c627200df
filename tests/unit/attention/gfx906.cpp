// Weights pass through shared memory (outer products in waves of 64 lanes).
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx906") {
    fade::test::some_kernels<fade::arch::gfx906, {64, 128}> device;
    fade::test::attention_suite<fade::f16>(device, 128, 10);
}

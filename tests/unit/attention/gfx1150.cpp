// WMMA of the gfx11 with the small register file.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

TEST_CASE("attention on gfx1150") {
    test::some_kernels<arch::gfx1150, {64, 64}> device;
    test::attention_suite<bf16>(device, 64, 10);
}

// MFMA whose operands hold four elements.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

TEST_CASE("attention on gfx908") {
    fade::test::some_kernels<fade::arch::gfx908, {64, 64}> device;
    fade::test::attention_suite<fade::bf16>(device, 64, 10);
}

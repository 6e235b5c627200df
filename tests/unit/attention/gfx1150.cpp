// WMMA of the gfx11 with the small register file; gfx1102 has the same, and gfx1101 what gfx1100 has.
#include "common/alike.hpp"
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

static_assert(test::attend_alike<arch::gfx1150, arch::gfx1102>);
static_assert(test::attend_alike<arch::gfx1100, arch::gfx1101>);
static_assert(!test::attend_alike<arch::gfx1100, arch::gfx1150> &&
              !test::attend_alike<arch::gfx1100, arch::gfx1201>);

TEST_CASE("attention on gfx1150") {
    test::some_kernels<arch::gfx1150, {64, 64}> device;
    test::attention_suite<f16>(device, 64, 10);
}

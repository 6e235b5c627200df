#include "common/skinny_suite.hpp"

using namespace fade;
using test::skinny_suite;

TEST_CASE("mma.sync") {
    skinny_suite<arch::sm_90a, bf16>(20), skinny_suite<arch::sm_80, f16, float>(10);
    skinny_suite<arch::sm_90a, i8, i32>(10), skinny_suite<arch::sm_90a, f8e4m3, bf16>(10);
    skinny_suite<arch::sm_80, double>(10);
}
TEST_CASE("vector instructions") { skinny_suite<arch::sm_90a, float>(10); }

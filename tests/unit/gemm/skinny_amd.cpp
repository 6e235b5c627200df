#include "common/skinny_suite.hpp"

using namespace fade;
using test::skinny_suite;

TEST_CASE("CDNA") {
    skinny_suite<arch::gfx942, f16>(20), skinny_suite<arch::gfx942, float>(10);
    skinny_suite<arch::gfx942, i8, i32>(10), skinny_suite<arch::gfx942, f8e4m3fnuz, bf16>(10);
    skinny_suite<arch::gfx908, bf16>(10), skinny_suite<arch::gfx90a, double>(10);
    skinny_suite<arch::gfx950, f8e5m2, float>(10);
}
TEST_CASE("RDNA") {
    skinny_suite<arch::gfx1100, f16>(20), skinny_suite<arch::gfx1100, i8, i32>(10);
    skinny_suite<arch::gfx1201, bf16, float>(10), skinny_suite<arch::gfx1201, f8e4m3, f16>(10);
    skinny_suite<arch::gfx1250, f16>(10);
}
TEST_CASE("by vector instructions") {
    skinny_suite<arch::gfx1030, f16>(20), skinny_suite<arch::gfx1030, i8, i32>(10);
    skinny_suite<arch::gfx906, float>(10);
}

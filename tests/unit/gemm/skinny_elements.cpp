#include "common/skinny_suite.hpp"

using namespace fade;
using enum operand_access;
using test::few;

TEST_CASE("few rows of A transposed") {
    test::skinny_suite<arch::gfx942, f16, f16, tt>(20), test::skinny_suite<arch::gfx942, bf16, bf16, tn>(20);
    test::skinny_suite<arch::gfx1100, f16, f16, tn>(10),
        test::skinny_suite<arch::gfx1201, f16, float, tn>(10);
    test::skinny_suite<arch::gfx1030, f16, f16, tt>(10), test::skinny_suite<arch::gfx942, i8, i32, tt>(10);
    test::skinny_suite<arch::gfx90a, double, double, tn>(10);
    test::skinny_suite<arch::sm_90a, bf16, bf16, tn>(10),
        test::skinny_suite<arch::sm_80, float, float, tt>(10);
}
TEST_CASE("few columns of B as it is") {
    test::skinny_suite<arch::gfx942, f16, f16, nn, few::columns>(20);
    test::skinny_suite<arch::gfx1100, bf16, bf16, nn, few::columns>(10);
    test::skinny_suite<arch::gfx1201, f8e4m3, f16, nn, few::columns>(10);
    test::skinny_suite<arch::gfx1030, i8, i32, nn, few::columns>(10);
    test::skinny_suite<arch::sm_90a, f16, f16, nn, few::columns>(10);
}
TEST_CASE("few columns of A transposed") {
    test::skinny_suite<arch::gfx942, f16, f16, tn, few::columns>(20);
    test::skinny_suite<arch::gfx1100, f16, f16, tt, few::columns>(10);
    test::skinny_suite<arch::gfx1030, float, float, tt, few::columns>(10);
    test::skinny_suite<arch::sm_80, double, double, tn, few::columns>(10);
}

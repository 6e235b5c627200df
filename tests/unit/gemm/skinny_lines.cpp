#include "common/skinny_suite.hpp"

using namespace fade;

namespace {

template <class Arch, class In, class Out = In>
void check(int cases) {
    test::skinny_suite<Arch, In, Out, operand_access::nn>(cases);
}

}  // namespace

TEST_CASE("lines of 16 bits") {
    check<arch::gfx942, f16>(20), check<arch::gfx1100, bf16>(20), check<arch::gfx1201, f16, float>(10);
    check<arch::gfx1030, f16>(20), check<arch::sm_90a, bf16>(10);
}
TEST_CASE("lines of more") {
    check<arch::gfx942, float>(10), check<arch::gfx1100, float>(10), check<arch::gfx90a, double>(10);
    check<arch::sm_80, double>(10);
}

#include "common/skinny_suite.hpp"

using namespace fade;

namespace {

template <class Arch, class In, class Out = In, operand_access Access = operand_access::nt>
void check(int cases) {
    test::skinny_suite<Arch, In, Out, Access, test::few::columns>(cases);
}

}  // namespace

TEST_CASE("both along k") {
    check<arch::gfx942, f16>(20), check<arch::gfx1100, bf16>(10), check<arch::gfx1030, f16>(10);
    check<arch::gfx1201, f8e4m3, f16>(10), check<arch::gfx90a, double>(10), check<arch::sm_90a, bf16>(10);
    check<arch::gfx942, i8, i32>(10), check<arch::sm_80, float>(10);
}

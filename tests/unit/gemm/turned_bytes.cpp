// 8-bit operands in every layout, on architectures whose kernels turn bytes in registers: large tiles, all
// numbers of steps around those that a loop has in flight.
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

template <class Arch, class In, class Out>
void check_layouts() {
    auto random = test::fresh_random();
    using enum gemm_layout;
    for (const auto layout : {nn, nt, tn, tt})
        test::check_edges<Arch, In, Out, all_accesses>({layout, true, true, 16}, random);
}

}  // namespace

TEST_CASE("gfx942 f8e4m3fnuz") { check_layouts<arch::gfx942, f8e4m3fnuz, bf16>(); }
TEST_CASE("gfx950 f8e4m3") { check_layouts<arch::gfx950, f8e4m3, bf16>(); }
TEST_CASE("gfx950 i8") { check_layouts<arch::gfx950, i8, i32>(); }

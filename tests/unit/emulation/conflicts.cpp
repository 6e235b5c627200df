// Where both operands lie along k, the shared accesses of shipped kernels meet no bank conflict, but for some writes on gfx906: what the swizzle of shared tiles is for.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;

namespace {

/// At most one cycle is lost in `spared` accesses; 0: none at all.
template <class Arch, class T>
void check_conflicts(std::uint64_t spared = 0) {
    for (const int compute_units : {1, 1 << 20}) {   // large and small tiles
        emulated_device<Arch> d({.threads = 1, .count_bank_conflicts = true, .compute_units = compute_units});
        const std::vector<T> a(128 * 128), b(128 * 128);
        std::vector<T> out(128 * 128);
        const gemm_problem cube{.m = 128, .n = 128, .k = 128, .layout = gemm_layout::nt};
        const report r = gemm<T, T, only(gemm_reading::nt)>(d, cube, {.a = a.data(), .b = b.data(), .d = out.data()});
        INFO(r.device, ", ", r.chosen);
        CHECK(d.monitor().shared_accesses() > 0);
        CHECK(d.monitor().conflict_cycles() * (spared ? spared : 1) <= (spared ? d.monitor().shared_accesses() : 0));
    }
}

}  // namespace

TEST_CASE("MFMA") {
    check_conflicts<arch::gfx942, f16>();
    check_conflicts<arch::gfx942, f32>();
    check_conflicts<arch::gfx950, bf16>();
}
TEST_CASE("WMMA") {
    check_conflicts<arch::gfx1100, bf16>();
    check_conflicts<arch::gfx1201, f16>();
}
TEST_CASE("the vector unit") {
    check_conflicts<arch::gfx906, f16>(8);   // pairs of k, 32 deep: the writes of two lanes in eight share a bank
    check_conflicts<arch::gfx1030, f16>();
}

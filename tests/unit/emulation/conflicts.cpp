// No shared access of a shipped kernel meets a bank conflict, whichever way the operands lie: what swizzles
// and gaps of shared tiles are for.
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <fade/gemm.hpp>

using namespace fade;

namespace {

template <class Arch, class T>
void check_conflicts() {
    for (const int compute_units : {1, 1 << 20})  // large and small tiles
        for (const gemm_layout layout : {gemm_layout::nt, gemm_layout::nn, gemm_layout::tn}) {
            emulated_device<Arch> d(
                {.threads = 1, .count_bank_conflicts = true, .compute_units = compute_units});
            const std::vector<T> a(128 * 128), b(128 * 128);
            std::vector<T> out(128 * 128);
            const gemm_problem cube{.m = 128, .n = 128, .k = 128, .layout = layout};
            const report r = gemm<T>(d, cube, {.a = a.data(), .b = b.data(), .d = out.data()});
            INFO(r.device, ", ", r.chosen);
            CHECK(d.monitor().shared_accesses() > 0);
            CHECK(d.monitor().conflict_cycles() == 0);
        }
}

template <class Arch>
void check_attention(int head_dim) {
    emulated_device<Arch> d({.threads = 1, .count_bank_conflicts = true, .compute_units = 1});
    const std::vector<f16> q(std::size_t(256 * head_dim)), k(q.size()), v(q.size());
    std::vector<f16> o(q.size());
    const report r =
        attention<f16>(d, {.seq_q = 256, .seq_k = 256, .head_dim = head_dim},
                       {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()}, {.split_kv = 1});
    INFO(r.device, ", ", r.chosen);
    CHECK(d.monitor().shared_accesses() > 0);
    CHECK(d.monitor().conflict_cycles() == 0);
}

}  // namespace

TEST_CASE("attention by MFMA, whose values are turned on their way into shared memory or out of it") {
    for (const int head_dim : {64, 128, 256})
        check_attention<arch::gfx942>(head_dim), check_attention<arch::gfx950>(head_dim);
}
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
    check_conflicts<arch::gfx906, f16>();
    check_conflicts<arch::gfx1030, f16>();
}

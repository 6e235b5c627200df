// Bank conflicts of attention: none where a matrix unit multiplies, and bounds for outer products.
#include "common/some_kernels.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

/// Cycles of conflicts for 1000 accesses that are allowed, in the plain kernel and in the decoding one.
struct bounds {
    std::uint64_t plain, decode;
};

template <class Arch, class T>
void check_case(const attention_problem& p, std::uint64_t allowed) {
    test::some_kernels<Arch, test::attention_kernels{.min = 64, .max = 256, .general = false}> d(
        {.threads = 1, .count_bank_conflicts = true, .compute_units = 1});
    const std::vector<T> q(std::size_t(p.seq_q * p.heads * p.head_dim)), k(std::size_t(p.seq_k * p.head_dim)),
        v(k.size());
    std::vector<T> o(q.size());
    const report r =
        attention<T>(d, p, {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()}, {.split_kv = 1});
    const std::uint64_t cycles = d.monitor().conflict_cycles(), all = d.monitor().shared_accesses();
    INFO(r.requested, " on ", r.arch, ": ", r.chosen, ", ", cycles, " cycles of ", all, " accesses");
    CHECK(all > 0);
    CHECK(1000 * cycles <= allowed * all);
    if (allowed) CHECK(2 * 1000 * cycles > allowed * all);  // a bound that nothing comes near goes
}

template <class Arch, class T>
void check(int head_dim, bounds allowed = {0, 0}) {
    check_case<Arch, T>({.heads = 1, .kv_heads = 1, .seq_q = 256, .seq_k = 256, .head_dim = head_dim},
                        allowed.plain);
    check_case<Arch, T>({.heads = 8, .kv_heads = 1, .seq_q = 4, .seq_k = 256, .head_dim = head_dim},
                        allowed.decode);
}

}  // namespace

TEST_CASE("MFMA, whose values are turned on their way into shared memory or out of it") {
    for (const int head_dim : {64, 128, 256}) {
        check<arch::gfx908, f16>(head_dim);
        check<arch::gfx90a, f16>(head_dim);
        check<arch::gfx942, f16>(head_dim);
        check<arch::gfx950, f16>(head_dim);
    }
    for (const int head_dim : {64, 128}) check<arch::gfx942, f32>(head_dim);
}
TEST_CASE("WMMA") {
    for (const int head_dim : {64, 128, 256}) {
        check<arch::gfx1100, f16>(head_dim);
        check<arch::gfx1201, f16>(head_dim);
    }
}
TEST_CASE("mma.sync, whose atoms have 8 columns") {
    for (const int head_dim : {64, 128, 256}) check<arch::sm_80, f16>(head_dim);
}
TEST_CASE("outer products") {
    // The one wave that copies for decoding takes wide rows: a tenth fewer cycles by the static audit.
    check<arch::gfx906, f16>(64, {0, 33});
    check<arch::gfx906, f16>(128, {30, 80});
    check<arch::gfx1030, f16>(64, {12, 12});
    check<arch::gfx1030, f16>(128, {32, 32});
    check<arch::gfx1030, f32>(64, {32, 40});
    check<arch::gfx1030, f32>(128, {90, 90});
    check<arch::gfx906, f32>(128, {100, 180});
}

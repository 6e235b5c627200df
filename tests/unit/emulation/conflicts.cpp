// No shared access of a shipped multiplication meets a bank conflict, whichever way the operands lie: what
// swizzles and gaps of shared tiles are for. The table holds every architecture and type; where conflicts
// remain it says how many.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;

namespace {

/// The output that costs the compiler least.
template <class In>
using output = std::conditional_t<std::is_same_v<In, i8>, i32, std::conditional_t<is_float8<In>, bf16, In>>;

/// Cycles of conflicts for 1000 accesses that are allowed: the writes of what is widened have some.
template <class Arch, class In>
constexpr std::uint64_t allowed = std::is_same_v<Arch, arch::gfx1030> && std::is_same_v<In, bf16> ? 45
                                  : std::is_same_v<Arch, arch::sm_80> && is_float8<In>            ? 180
                                                                                                  : 0;

/// nn reads A along k and B along rows, tt A along rows and B along k: each operand both ways.
template <class Arch, class In>
void check_type() {
    static_assert(arch::has_atom<Arch, In>);
    constexpr fade::index size = 256;
    const std::vector<In> a(size * size), b(size * size);
    std::vector<output<In>> out(size * size);
    for (const int compute_units : {1, 1 << 20})  // large and small tiles
        for (const gemm_layout layout : {gemm_layout::nn, gemm_layout::tt}) {
            emulated_device<Arch> d(
                {.threads = 1, .count_bank_conflicts = true, .compute_units = compute_units});
            const gemm_problem cube{.m = size, .n = size, .k = size, .layout = layout};
            const report r = gemm<In, output<In>, only(operand_access::nn, operand_access::tt)>(
                d, cube, {.a = a.data(), .b = b.data(), .d = out.data()});
            const std::uint64_t cycles = d.monitor().conflict_cycles(), all = d.monitor().shared_accesses();
            INFO(r.requested, " on ", r.arch, ": ", r.chosen, ", ", cycles, " cycles of ", all, " accesses");
            CHECK(all > 0);
            CHECK(1000 * cycles <= allowed<Arch, In> * all);
            if (allowed<Arch, In>) CHECK(cycles > 0);  // a bound that nothing needs goes
        }
}

template <class Arch, class... In>
void check_types() {
    (check_type<Arch, In>(), ...);
}

/// Architectures with the same banks, atoms and policies have the same conflicts.
template <class A, class B, class... In>
constexpr bool alike =
    A::traits.lds_wrap == B::traits.lds_wrap && A::traits.wave_size == B::traits.wave_size &&
    (... && (std::is_same_v<typename A::template atom<In>, typename B::template atom<In>> &&
             tune::gemm_rows<A, In>::row.large == tune::gemm_rows<B, In>::row.large &&
             tune::gemm_rows<A, In>::row.small == tune::gemm_rows<B, In>::row.small));
template <class A, class B>
constexpr bool alike_gfx11 = alike<A, B, f16, bf16, f32, i8>;
static_assert(alike_gfx11<arch::gfx1100, arch::gfx1101> && alike_gfx11<arch::gfx1100, arch::gfx1102> &&
              alike_gfx11<arch::gfx1100, arch::gfx1150> && alike_gfx11<arch::gfx1100, arch::gfx1151>);
static_assert(alike<arch::gfx1200, arch::gfx1201, f16, bf16, f32, i8, f8e4m3, f8e5m2>);
static_assert(alike<arch::sm_80, arch::sm_90a, f32>);  // Hopper's unit of 16 bits reads past the lanes

}  // namespace

TEST_CASE("gfx906") { check_types<arch::gfx906, f16, bf16, f32, i8>(); }
TEST_CASE("gfx908") { check_types<arch::gfx908, f16, bf16, f32, i8>(); }
TEST_CASE("gfx90a") { check_types<arch::gfx90a, f16, bf16, f32, i8, f64>(); }
TEST_CASE("gfx942") { check_types<arch::gfx942, f16, bf16, f32, i8, f64, f8e4m3fnuz, f8e5m2fnuz>(); }
TEST_CASE("gfx950") { check_types<arch::gfx950, f16, bf16, f32, i8, f64, f8e4m3, f8e5m2>(); }
TEST_CASE("gfx1030") { check_types<arch::gfx1030, f16, bf16, f32, i8>(); }
TEST_CASE("gfx1100") { check_types<arch::gfx1100, f16, bf16, f32, i8>(); }
TEST_CASE("gfx1200") { check_types<arch::gfx1200, f16, bf16, f32, i8, f8e4m3, f8e5m2>(); }
TEST_CASE("gfx1250") { check_types<arch::gfx1250, f16, bf16, f32>(); }
TEST_CASE("sm_80") { check_types<arch::sm_80, f16, bf16, f32, i8, f64, f8e4m3, f8e5m2>(); }
TEST_CASE("sm_90a") { check_types<arch::sm_90a, i8, f64, f8e4m3, f8e5m2>(); }

// What every architecture must do with a pair of types: all edges of all its kernels, then random problems.
#pragma once
#include "common/gemm_edges.hpp"
#include "common/gemm_random.hpp"
#include "common/gemm_special.hpp"
#include <doctest/doctest.h>

namespace fade::test {

/// Random cases a pair of types, about 2 ms each.
inline constexpr int random_cases = 150;

/// The seed of everything that rapidcheck does not draw; part of the same printed configuration.
inline std::mt19937_64 fresh_random() { return std::mt19937_64(rc::detail::configuration().testParams.seed); }

/// Says of every edge of a kernel what is wrong.
template <class Arch, class In, class Out, gemm_kernels Kernels>
void check_edges(const kernel_choice& kernel, std::mt19937_64& random) {
    for (const extent& e : edges_of(policy_of<Arch, In>(kernel))) {
        gemm_case c = case_of(kernel, e, random());
        if (kernel.large && Arch::traits.tensor_maps) c.compute_units = 2;  // room for one cluster
        const std::string wrong = check_gemm<Arch, In, Out, Kernels>(c);
        INFO(c);
        CHECK(wrong == "");
    }
}

/// In = Out: every layout and size class. The kernels for unaligned operands take any strides, so one layout
/// finds their edges.
template <class Arch, class T>
void gemm_suite() {
    auto random = fresh_random();
    using enum gemm_layout;
    for (const auto layout : {nn, nt, tn, tt})
        for (const bool large : {false, true})
            check_edges<Arch, T, T, all_accesses>({layout, large, true}, random);
    check_edges<Arch, T, T, all_accesses>({tn, false, false}, random);
    check_specials<Arch, T>(random);
    if constexpr (!std::is_same_v<Arch, arch::host>) CHECK(wrong_share<Arch, T, all_accesses>() == "");
    holds(std::string(Arch::traits.name) + " " + name(dtype_v<T>), random_cases, [] {
        const auto c = random_case({nn, nt, tn, tt});
        must_be_right(c, check_gemm<Arch, T, T, all_accesses>(c));
    });
}

/// Tiles between large and small ones, which are chosen where there is one for each compute unit, and more of
/// the small.
template <class Arch, class T>
void medium_suite() {
    auto random = fresh_random();
    using enum gemm_layout;
    constexpr tile_shape t = tune::gemm_rows<Arch, T>::row.medium.block_tile;
    const extent sizes[] = {{t.m + 8, t.n + 8, 8},           {2 * t.m - 8, t.n + 8, t.k - 8},
                            {2 * t.m + 8, t.n, 2 * t.k + 8}, {t.m + 8, 2 * t.n - 8, 3 * t.k},
                            {t.m, 2 * t.n + 8, 4 * t.k + 8}, {2 * t.m - 40, 2 * t.n - 56, 5 * t.k}};
    for (const auto layout : {nn, nt, tn, tt})
        for (const extent& e : sizes) {
            gemm_case c = case_of({layout, false, true}, e, random());
            c.compute_units = int(ceil_div<index>(e.m, t.m) * ceil_div<index>(e.n, t.n));
            gemm_data<T, T> data(c);
            auto device = device_of<Arch>(1, c.compute_units);
            const report said = plan_gemm<T>(device, c.problem, data.operands()).report;
            INFO(c, said.chosen, ": ", said.why);
            CHECK(said.chosen.find("_medium ") != std::string::npos);
            CHECK(check_gemm<Arch, T, T, all_accesses>(c) == "");
        }
}

/// A wider Out: what differs is the store, so one layout does.
template <class Arch, class In>
void gemm_to_f32_suite() {
    static constexpr auto kernels = only(operand_access::nt, operand_access::strided);
    holds(std::string(Arch::traits.name) + " " + name(dtype_v<In>) + " to f32", random_cases / 3, [] {
        const auto c = random_case({gemm_layout::nt});
        must_be_right(c, check_gemm<Arch, In, float, kernels>(c));
    });
}

}  // namespace fade::test

#define FADE_GEMM_SUITE(ARCH)                                                                                \
    TEST_CASE(#ARCH " f32") { fade::test::gemm_suite<fade::arch::ARCH, fade::f32>(); }                       \
    TEST_CASE(#ARCH " f16") { fade::test::gemm_suite<fade::arch::ARCH, fade::f16>(); }                       \
    TEST_CASE(#ARCH " bf16") { fade::test::gemm_suite<fade::arch::ARCH, fade::bf16>(); }                     \
    TEST_CASE(#ARCH " f16 to f32") { fade::test::gemm_to_f32_suite<fade::arch::ARCH, fade::f16>(); }         \
    TEST_CASE(#ARCH " bf16 to f32") { fade::test::gemm_to_f32_suite<fade::arch::ARCH, fade::bf16>(); }

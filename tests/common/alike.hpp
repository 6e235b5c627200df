// Architectures whose kernels are one and the same but for a name: what is shown on one holds on the other.
#pragma once
#include <fade/attention.hpp>
#include <fade/gemm.hpp>

namespace fade::test {

/// All that kernels, launches and emulation read of an architecture but its name.
constexpr bool same_machine(arch::arch_traits a, arch::arch_traits b) {
    a.name = b.name = {};
    return a == b;
}

template <class A, class B, class In>
constexpr bool same_attention() {
    using enum tune::attention_variant;
    for (const int head_class : {64, 128, 256, 512})
        for (const auto variant : {plain, tma, general, decode})
            if (!(tune::attention_row<A, In>(head_class, variant) ==
                  tune::attention_row<B, In>(head_class, variant)))
                return false;
    return std::is_same_v<typename A::template atom<kernel::multiplied_as<In>>,
                          typename B::template atom<kernel::multiplied_as<In>>>;
}

template <class A, class B, class In>
constexpr bool same_gemm() {
    if constexpr (!arch::has_atom<A, In> || !arch::has_atom<B, In>)
        return arch::has_atom<A, In> == arch::has_atom<B, In>;
    else
        return std::is_same_v<typename A::template atom<In>, typename B::template atom<In>> &&
               tune::gemm_rows<A, In>::row.large == tune::gemm_rows<B, In>::row.large &&
               tune::gemm_rows<A, In>::row.small == tune::gemm_rows<B, In>::row.small;
}

/// Row operators read traits alone, and convolutions take GEMM's tiles.
template <class A, class B>
inline constexpr bool alike =
    same_machine(A::traits, B::traits) && same_attention<A, B, float>() && same_attention<A, B, f16>() &&
    same_attention<A, B, bf16>() && same_attention<A, B, f8e4m3>() && same_gemm<A, B, float>() &&
    same_gemm<A, B, f16>() && same_gemm<A, B, bf16>() && same_gemm<A, B, i8>() && same_gemm<A, B, double>() &&
    same_gemm<A, B, f8e4m3>() && same_gemm<A, B, f8e5m2>() && same_gemm<A, B, f8e4m3fnuz>() &&
    same_gemm<A, B, f8e5m2fnuz>();

}  // namespace fade::test

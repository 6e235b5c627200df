// Architectures whose kernels of attention are one and the same but for a name: what is shown on one holds on
// the other.
#pragma once
#include <fade/attention.hpp>

namespace fade::test {

/// All that kernels, launches and emulation read of an architecture but its name.
constexpr bool same_machine(const arch::arch_traits& a, const arch::arch_traits& b) {
    return a.family == b.family && a.wave_size == b.wave_size && a.simds_per_cu == b.simds_per_cu &&
           a.waves_per_simd == b.waves_per_simd && a.vgprs_per_simd == b.vgprs_per_simd &&
           a.vgpr_granule == b.vgpr_granule && a.vgprs_per_wave == b.vgprs_per_wave &&
           a.lds_per_workgroup == b.lds_per_workgroup && a.lds_per_cu == b.lds_per_cu &&
           a.lds_wrap == b.lds_wrap && a.buffer_word == b.buffer_word && a.xcds == b.xcds &&
           a.tensor_maps == b.tensor_maps && a.transposing_reads == b.transposing_reads;
}

template <class A, class B, class In>
constexpr bool same_rows() {
    using enum tune::attention_variant;
    for (const int head_class : {64, 128, 256, 512})
        for (const auto variant : {plain, tma, general, decode})
            if (!(tune::attention_row<A, In>(head_class, variant) ==
                  tune::attention_row<B, In>(head_class, variant)))
                return false;
    return std::is_same_v<typename A::template atom<kernel::multiplied_as<In>>,
                          typename B::template atom<kernel::multiplied_as<In>>>;
}

template <class A, class B>
inline constexpr bool attend_alike =
    same_machine(A::traits, B::traits) && same_rows<A, B, float>() && same_rows<A, B, f16>() &&
    same_rows<A, B, bf16>() && same_rows<A, B, f8e4m3>();

}  // namespace fade::test

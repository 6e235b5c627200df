// MI300A, MI300X, MI325X (CDNA3).
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx942 {
    static constexpr arch_traits traits{.name = "gfx942",
                                        .family = family::cdna,
                                        .wave_size = 64,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 8,
                                        .vgprs_per_simd = 512,
                                        .vgpr_granule = 8,
                                        .vgprs_per_wave = 512,
                                        .lds_per_workgroup = 65536,
                                        .lds_per_cu = 65536,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x00020000,
                                        .xcds = 8};
    using atoms =
        atom_list<takes<float, atom::mfma<float, float, 32, 2>>, takes<f16, atom::mfma<f16, float, 32, 8>>,
                  takes<bf16, atom::mfma<bf16, float, 32, 8>>, takes<i8, atom::mfma<i8, i32, 32, 16>>,
                  takes<double, atom::mfma<double, double, 16, 4>>,
                  takes<f8e4m3fnuz, atom::mfma<f8e4m3fnuz, float, 32, 16>>,
                  takes<f8e5m2fnuz, atom::mfma<f8e5m2fnuz, float, 32, 16>>,
                  takes<e4m3_by_e5m2_fnuz, atom::mfma<e4m3_by_e5m2_fnuz, float, 32, 16>>,
                  takes<e5m2_by_e4m3_fnuz, atom::mfma<e5m2_by_e4m3_fnuz, float, 32, 16>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx942__) || defined(__gfx9_4_generic__)
#define FADE_CURRENT_ARCH gfx942  // of this pass of the compiler
#endif

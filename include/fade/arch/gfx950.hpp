// MI350X, MI355X (CDNA4): twice the depth of 16-bit MFMA, 160 KiB of LDS.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx950 {
    static constexpr arch_traits traits{.name = "gfx950",
                                        .family = family::cdna,
                                        .wave_size = 64,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 8,
                                        .vgprs_per_simd = 512,
                                        .vgpr_granule = 8,
                                        .vgprs_per_wave = 512,
                                        .lds_per_workgroup = 163840,
                                        .lds_per_cu = 163840,
                                        .lds_wrap = 256,
                                        .buffer_word = 0x00020000,
                                        .xcds = 8,
                                        .transposing_reads = true};
    using atoms =
        atom_list<takes<float, atom::mfma<float, float, 32, 2>>, takes<f16, atom::mfma<f16, float, 32, 16>>,
                  takes<bf16, atom::mfma<bf16, float, 32, 16>>, takes<i8, atom::mfma<i8, i32, 32, 32>>,
                  takes<double, atom::mfma<double, double, 16, 4>>,
                  takes<f8e4m3, atom::mfma<f8e4m3, float, 32, 64>>,
                  takes<f8e5m2, atom::mfma<f8e5m2, float, 32, 64>>,
                  takes<e4m3_by_e5m2, atom::mfma<e4m3_by_e5m2, float, 32, 64>>,
                  takes<e5m2_by_e4m3, atom::mfma<e5m2_by_e4m3, float, 32, 64>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx950__)
#define FADE_CURRENT_ARCH gfx950  // of this pass of the compiler
#endif

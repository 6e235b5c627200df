// Radeon 8060S, 8050S (RDNA3.5).
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx1151 {
    static constexpr arch_traits traits{.name = "gfx1151",
                                        .family = family::rdna3,
                                        .wave_size = 32,
                                        .simds_per_cu = 2,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 1536,
                                        .vgpr_granule = 24,
                                        .vgprs_per_wave = 256,
                                        .lds_per_workgroup = 65536,
                                        .lds_per_cu = 65536,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x31004000,
                                        .xcds = 1};
    using atoms = wmma_gfx11_atoms;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx1151__)
#define FADE_CURRENT_ARCH gfx1151  // of this pass of the compiler
#endif

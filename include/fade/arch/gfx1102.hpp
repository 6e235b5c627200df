// RX 7600 (RDNA3 with the small register file); gfx1103 (780M) shares it.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx1102 {
    static constexpr arch_traits traits{.name = "gfx1102",
                                        .family = family::rdna3,
                                        .wave_size = 32,
                                        .simds_per_cu = 2,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 1024,
                                        .vgpr_granule = 16,
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

#if defined(__gfx1102__) || defined(__gfx1103__) || defined(__gfx11_generic__)
#define FADE_CURRENT_ARCH gfx1102  // of this pass of the compiler
#endif

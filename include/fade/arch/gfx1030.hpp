// RX 6800 to 6950 XT, W6800, V620 (RDNA2); gfx1031 to gfx1036 share the instruction set.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx1030 {
    static constexpr arch_traits traits{.name = "gfx1030",
                                        .family = family::rdna2,
                                        .wave_size = 32,
                                        .simds_per_cu = 2,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 1024,
                                        .vgpr_granule = 16,
                                        .vgprs_per_wave = 256,
                                        .lds_per_workgroup = 65536,
                                        .lds_per_cu = 65536,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x31014000,
                                        .xcds = 1};
    using atoms = vector_atoms<32>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) ||          \
    defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__) || defined(__gfx10_3_generic__)
#define FADE_CURRENT_ARCH gfx1030  // of this pass of the compiler
#endif

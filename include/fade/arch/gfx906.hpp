// MI50, MI60, Radeon VII, Pro VII (Vega 20).
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx906 {
    static constexpr arch_traits traits{.name = "gfx906",
                                        .family = family::gcn,
                                        .wave_size = 64,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 10,
                                        .vgprs_per_simd = 256,
                                        .vgpr_granule = 4,
                                        .vgprs_per_wave = 256,
                                        .lds_per_workgroup = 65536,
                                        .lds_per_cu = 65536,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x00020000,
                                        .xcds = 1};
    using atoms = vector_atoms<64>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx906__)
#define FADE_CURRENT_ARCH gfx906  // of this pass of the compiler
#endif

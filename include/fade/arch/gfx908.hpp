// MI100 (CDNA1): accumulation registers are a file of their own.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx908 {
    static constexpr arch_traits traits{.name = "gfx908",
                                        .family = family::cdna,
                                        .wave_size = 64,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 10,
                                        .vgprs_per_simd = 256,
                                        .vgpr_granule = 4,
                                        .vgprs_per_wave = 512,
                                        .lds_per_workgroup = 65536,
                                        .lds_per_cu = 65536,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x00020000,
                                        .xcds = 1};
    using atoms =
        atom_list<takes<float, atom::mfma<float, float, 32, 2>>, takes<f16, atom::mfma<f16, float, 32, 8>>,
                  takes<bf16, atom::mfma<bf16, float, 32, 4>>, takes<i8, atom::mfma<i8, i32, 32, 8>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx908__)
#define FADE_CURRENT_ARCH gfx908  // of this pass of the compiler
#endif

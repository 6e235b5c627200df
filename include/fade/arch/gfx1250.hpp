// gfx1250, public in LLVM only: compiled and emulated as a check that a new architecture is a file and a
// line. Register and LDS figures: LLVM.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/wmma_gfx1250.hpp>

namespace FADE_NAMESPACE::arch {

struct gfx1250 {
    static constexpr arch_traits traits{.name = "gfx1250",
                                        .family = family::gfx125,
                                        .wave_size = 32,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 1024,
                                        .vgpr_granule = 16,
                                        .vgprs_per_wave = 256,
                                        .lds_per_workgroup = 327680,
                                        .lds_per_cu = 327680,
                                        .lds_wrap = 128,
                                        .buffer_word = 0x31004000,
                                        .xcds = 1};
    using atoms = atom_list<takes<float, atom::outer<float, float, 32, 1>>,
                            takes<f16, atom::wmma_gfx1250<f16>>, takes<bf16, atom::wmma_gfx1250<bf16>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__gfx1250__)
#define FADE_CURRENT_ARCH gfx1250  // of this pass of the compiler
#endif

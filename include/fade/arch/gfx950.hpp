// MI350X, MI355X (CDNA4): twice the depth of 16-bit MFMA, 160 KiB of LDS.
#pragma once
#include <fade/arch/matrix_atoms.hpp>
#include <fade/arch/traits.hpp>

namespace fade::arch {

struct gfx950 {
    static constexpr arch_traits traits{.name = "gfx950", .family = family::cdna, .wave_size = 64, .simds_per_cu = 4,
        .waves_per_simd = 8, .vgprs_per_simd = 512, .vgpr_granule = 8, .vgprs_per_wave = 512,
        .lds_per_workgroup = 163840, .lds_per_cu = 163840, .lds_wrap = 256, .buffer_word = 0x00020000, .xcds = 8};
    template <class T>
    using atom = mfma_atom<T, 16, 16>;
};

}  // namespace fade::arch

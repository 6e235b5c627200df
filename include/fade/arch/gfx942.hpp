// MI300A, MI300X, MI325X (CDNA3).
#pragma once
#include <fade/arch/matrix_atoms.hpp>
#include <fade/arch/traits.hpp>

namespace fade::arch {

struct gfx942 {
    static constexpr arch_traits traits{.name = "gfx942", .family = family::cdna, .wave_size = 64, .simds_per_cu = 4,
        .waves_per_simd = 8, .vgprs_per_simd = 512, .vgpr_granule = 8, .vgprs_per_wave = 512,
        .lds_per_workgroup = 65536, .lds_per_cu = 65536, .lds_wrap = 128, .buffer_word = 0x00020000, .xcds = 8};
    template <class T>
    using atom = mfma_atom<T, 8, 8>;
};

}  // namespace fade::arch

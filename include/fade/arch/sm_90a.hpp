// NVIDIA Hopper (H100, H200): warpgroup products from shared memory.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/mma_sync_chains.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/dmma.hpp>
#include <fade/atom/mma_sm80.hpp>
#include <fade/atom/wgmma_chained.hpp>
#include <fade/atom/wgmma_sm90.hpp>

namespace FADE_NAMESPACE::arch {

struct sm_90a {
    static constexpr arch_traits traits{.name = "sm_90a",
                                        .family = family::nvidia,
                                        .wave_size = 32,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 512,
                                        .vgpr_granule = 8,
                                        .vgprs_per_wave = 255,
                                        .lds_per_workgroup = 232448,
                                        .lds_per_cu = 233472,
                                        .lds_wrap = 128,
                                        .buffer_word = 0,
                                        .xcds = 1,
                                        .tensor_maps = true};
    using atoms =
        atom_list<takes<float, atom::outer<float, float, 32, 1>>, takes<f16, atom::wgmma_sm90<f16>>,
                  takes<bf16, atom::wgmma_sm90<bf16>>, takes<i8, atom::mma_sm80<i8>>,
                  takes<double, atom::dmma<16, 8>>, takes<f8e4m3, atom::mma_sm80<f8e4m3>>,
                  takes<f8e5m2, atom::mma_sm80<f8e5m2>>, takes<e4m3_by_e5m2, atom::mma_sm80<e4m3_by_e5m2>>,
                  takes<e5m2_by_e4m3, atom::mma_sm80<e5m2_by_e4m3>>>;
    /// What multiplies operands along k that boxes bring.
    using box_atoms = atom_list<takes<f16, atom::wgmma_sm90<f16>>, takes<bf16, atom::wgmma_sm90<bf16>>,
                                takes<i8, atom::wgmma_sm90<i8>>, takes<f8e4m3, atom::wgmma_sm90<f8e4m3>>,
                                takes<f8e5m2, atom::wgmma_sm90<f8e5m2>>,
                                takes<e4m3_by_e5m2, atom::wgmma_sm90<e4m3_by_e5m2>>,
                                takes<e5m2_by_e4m3, atom::wgmma_sm90<e5m2_by_e4m3>>>;
    /// What multiplies 16-bit operands in waves of fewer columns than a warpgroup's product has.
    using narrow_atoms = atom_list<takes<f16, atom::mma_sm80<f16>>, takes<bf16, atom::mma_sm80<bf16>>>;
    using chained_atoms = mma_sync_chains;
    /// What multiplies from shared memory where one product feeds the next.
    using warpgroup_atoms =
        atom_list<takes<f16, atom::wgmma_chained<f16>>, takes<bf16, atom::wgmma_chained<bf16>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000
#define FADE_CURRENT_ARCH sm_90a  // of this pass of the compiler
#endif

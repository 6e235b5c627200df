// NVIDIA from Ampere on (A100 and later): mma.sync and cp.async.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/mma_sync_chains.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/dmma.hpp>
#include <fade/atom/mma_sm80.hpp>

namespace FADE_NAMESPACE::arch {

struct sm_80 {
    static constexpr arch_traits traits{.name = "sm_80",
                                        .family = family::nvidia,
                                        .wave_size = 32,
                                        .simds_per_cu = 4,
                                        .waves_per_simd = 16,
                                        .vgprs_per_simd = 512,
                                        .vgpr_granule = 8,
                                        .vgprs_per_wave = 255,
                                        .lds_per_workgroup = 166912,
                                        .lds_per_cu = 167936,
                                        .lds_wrap = 128,
                                        .buffer_word = 0,
                                        .xcds = 1};
    /// 8-bit floats are widened on their way to shared memory, which is exact.
    using atoms = atom_list<takes<float, atom::outer<float, float, 32, 1>>, takes<f16, atom::mma_sm80<f16>>,
                            takes<bf16, atom::mma_sm80<bf16>>, takes<i8, atom::mma_sm80<i8>>,
                            takes<double, atom::dmma<8, 4>>, takes<f8e4m3, atom::mma_sm80<f16>>,
                            takes<f8e5m2, atom::mma_sm80<f16>>, takes<e4m3_by_e5m2, atom::mma_sm80<f16>>,
                            takes<e5m2_by_e4m3, atom::mma_sm80<f16>>>;
    using chained_atoms = mma_sync_chains;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

#if defined(__CUDA_ARCH__) && !(__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1000)
#define FADE_CURRENT_ARCH sm_80  // of this pass of the compiler
#endif

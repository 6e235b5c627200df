// The CPU that runs the program: a wave of one lane, whose atoms are vector micro-kernels over packed panels.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/cpu.hpp>

namespace FADE_NAMESPACE::arch {

struct host {
    static constexpr arch_traits traits{.name = "host",
                                        .family = family::host,
                                        .wave_size = 1,
                                        .simds_per_cu = 1,
                                        .waves_per_simd = 1,
                                        .vgprs_per_simd = 32,
                                        .vgpr_granule = 1,
                                        .vgprs_per_wave = 32,
                                        .lds_per_workgroup =
                                            8 << 20,  // memory of the thread's own; f64 packs 6 MiB
                                        .lds_per_cu = 8 << 20,
                                        .lds_wrap = 64,
                                        .buffer_word = 0,
                                        .xcds = 1};
    using atoms = atom_list<takes<float, atom::cpu<float>>, takes<double, atom::cpu<double>>,
                            takes<f16, atom::cpu<float>>, takes<bf16, atom::packing_cpu<float, bf16>>,
                            takes<i8, atom::packing_cpu<i32, i8>>, takes<f8e4m3, atom::cpu<float>>,
                            takes<f8e5m2, atom::cpu<float>>, takes<f8e4m3fnuz, atom::cpu<float>>,
                            takes<f8e5m2fnuz, atom::cpu<float>>, takes<e4m3_by_e5m2, atom::cpu<float>>,
                            takes<e5m2_by_e4m3, atom::cpu<float>>, takes<e4m3_by_e5m2_fnuz, atom::cpu<float>>,
                            takes<e5m2_by_e4m3_fnuz, atom::cpu<float>>>;
    template <class In>
    using atom = atom_for<atoms, In>;
};

}  // namespace FADE_NAMESPACE::arch

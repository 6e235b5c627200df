// The CPU that runs the program: a wave of one lane, whose atoms are vector micro-kernels over packed panels.
#pragma once
#include <type_traits>
#include <fade/arch/traits.hpp>
#include <fade/atom/cpu.hpp>

namespace fade::arch {

struct host {
    static constexpr arch_traits traits{.name = "host", .family = family::host, .wave_size = 1, .simds_per_cu = 1, .waves_per_simd = 1,
        .vgprs_per_simd = 32, .vgpr_granule = 1, .vgprs_per_wave = 32, .lds_per_workgroup = 1 << 20, .lds_per_cu = 1 << 20, .lds_wrap = 64,
        .buffer_word = 0, .xcds = 1};
    template <class T>
    using atom = atom::cpu<std::conditional_t<std::is_same_v<T, double>, double, float>>;
};

}  // namespace fade::arch

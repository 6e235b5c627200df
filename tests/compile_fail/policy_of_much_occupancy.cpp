// expect: waves_per_simd of the gemm_policy lies between 1 and
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .waves_per_simd = 9})>(
        device, {}, {});
}

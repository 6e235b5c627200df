// expect: swizzle_rows and xcd_chunk of a gemm_policy are at least 1
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .swizzle_rows = 0})>(
        device, {}, {});
}

// expect: block_tile.k of the gemm_policy is a multiple of what the lanes of an atom load at once
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16, fade::with_policy({.block_tile = {64, 64, 48}, .wave_tile = {32, 32}})>(
        device, {}, {});
}

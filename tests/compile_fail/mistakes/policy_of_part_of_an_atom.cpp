// expect: let wave_tile.m and .n of the gemm_policy be multiples of what an instruction of this
// names: gfx942
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16, fade::with_policy({.block_tile = {96, 96, 32}, .wave_tile = {48, 48}})>(
        device, {}, {});
}

// expect: let block_tile.m and .n of the gemm_policy be multiples of wave_tile.m and .n
// names: gfx1100
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx1100>& device) {
    fade::gemm<fade::f16, fade::f16, fade::with_policy({.block_tile = {64, 64, 32}})>(device, {}, {});
}

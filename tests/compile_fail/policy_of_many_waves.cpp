// expect: this gemm_policy has more waves than a workgroup of 1024 lanes
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {256, 256, 16}, .wave_tile = {32, 32}})>(device, {}, {});
}

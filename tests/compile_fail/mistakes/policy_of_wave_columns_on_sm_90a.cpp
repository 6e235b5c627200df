// expect: four waves multiply together on this architecture: let the gemm_policy have a wave_tile of 16 rows
// names: sm_90a
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::sm_90a>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {64, 256, 64}, .wave_tile = {32, 128}})>(device, {}, {});
}

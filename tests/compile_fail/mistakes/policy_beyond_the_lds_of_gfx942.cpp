// expect: the tiles of this gemm_policy do not fit the shared memory of a workgroup
// names: gfx942
#include <fade/gemm.hpp>

void call(fade::emulated_device<fade::arch::gfx942>& device) {
    fade::gemm<fade::f16, fade::f16,
               fade::with_policy({.block_tile = {256, 256, 64}, .wave_tile = {128, 64}})>(device, {}, {});
}

// expect: the host cuts D into shares for its threads by itself, so no gemm_policy can be passed
// names: gemm_policy
#include <fade/gemm.hpp>

void call(fade::host_device& device) {
    fade::gemm<float, float, fade::with_policy({.block_tile = {64, 64, 32}, .wave_tile = {32, 32}})>(device,
                                                                                                     {}, {});
}

// expect: have tma_ring, a cluster of 1, a cluster_k of 1 to 8
#include <fade/gemm.hpp>

using namespace fade;

int main() {
    emulated_device<arch::gfx942> device;
    static constexpr gemm_policy alone{.block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .cluster_k = 2};
    gemm<f16, f16, with_policy(alone)>(device, {.m = 1, .n = 1, .k = 1}, {});
}

// expect: a cluster of workgroups shares boxes of A or B: let the gemm_policy have tma_ring
#include <fade/gemm.hpp>

using namespace fade;

int main() {
    emulated_device<arch::gfx942> device;
    static constexpr gemm_policy alone{.block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .cluster = 2};
    gemm<f16, f16, with_policy(alone)>(device, {.m = 1, .n = 1, .k = 1}, {});
}

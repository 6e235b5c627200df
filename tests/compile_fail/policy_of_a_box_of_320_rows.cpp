// expect: or a cluster of 1 whose m and n are at most 256, as boxes are
#include <fade/gemm.hpp>

using namespace fade;

int main() {
    emulated_device<arch::sm_90a> device;
    static constexpr gemm_policy wide{
        .block_tile = {128, 320, 64}, .wave_tile = {16, 320}, .pipeline = block::pipeline_kind::tma_ring};
    gemm<f16, f16, with_policy(wide)>(device, {.m = 1, .n = 1, .k = 1}, {});
}

// expect: 1 to 8 and a block_tile whose m, n and k are whole 8 for each of them
#include <fade/gemm.hpp>

using namespace fade;

int main() {
    emulated_device<arch::sm_90a> device;
    static constexpr gemm_policy narrow{.block_tile = {64, 128, 64},
                                        .wave_tile = {16, 128},
                                        .pipeline = block::pipeline_kind::tma_ring,
                                        .cluster = 3};
    gemm<f16, f16, with_policy(narrow)>(device, {.m = 1, .n = 1, .k = 1}, {});
}

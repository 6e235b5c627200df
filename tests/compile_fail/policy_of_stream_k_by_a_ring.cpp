// expect: workgroups that make several tiles (stream_k) fill no ring of copies: let the gemm_policy have
#include <fade/gemm.hpp>

using namespace fade;

int main() {
    emulated_device<arch::sm_80> device;
    static constexpr gemm_policy ring{.block_tile = {128, 128, 32},
                                      .wave_tile = {64, 64},
                                      .pipeline = block::pipeline_kind::async_ring,
                                      .schedule = gemm_schedule::stream_k};
    gemm<f16, f16, with_policy(ring)>(device, {.m = 1, .n = 1, .k = 1}, {});
}

// expect: stream_k adds up columns one by one, and a gate pairs them
#include <fade/gemm.hpp>

using namespace fade;

void call(emulated_device<arch::gfx942>& device) {
    constexpr gemm_policy policy{
        .block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .schedule = gemm_schedule::stream_k};
    gemm<f16, f16, with_policy(policy, only(operand_access::nt))>(device, {}, {}, swiglu());
}

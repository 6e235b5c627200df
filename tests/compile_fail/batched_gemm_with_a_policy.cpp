// expect: products by tables of pointers have the policies of the architecture's table
#include <fade/batched_gemm.hpp>

void f(fade::host_device& device) {
    constexpr fade::gemm_policy policy{.block_tile = {64, 64, 32}, .wave_tile = {32, 32}};
    fade::batched_gemm<float, float, fade::with_policy(policy)>(device, {}, {});
}

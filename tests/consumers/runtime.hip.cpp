// A user's program around HIP's own headers: warpSize, barriers, mathematics and half precision must compile
// and link with what fade_add_hip_executable gives; without a device it says so and that is fine.
#include <cstdio>
#include <fade/gemm.hpp>

#if !defined(FROM_AN_OPTION) || !defined(FROM_A_DEFINITION)
#error "the options or definitions of the target did not reach its HIP sources"
#endif

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

// HIP's own halves are FADE's, as values and behind pointers.
static_assert(fade::is_same_number<__half, fade::f16> && fade::is_same_number<hip_bfloat16, fade::bf16>);
fade::gemm_operands<fade::f16, fade::bf16> operands(const __half* a, hip_bfloat16* d) {
    return {.a = a, .b = a, .d = d};
}

__global__ void kernel(float* values, __half* halves) {
    __shared__ float tile[64];
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    const __half2 pair = h2rcp(__half2(halves[0], halves[1]));
    values[threadIdx.x] = tile[63 - threadIdx.x] * warpSize + sinf(values[0]) + __half2float(hrcp(halves[0]));
    halves[threadIdx.x] = static_cast<__half>(fade::to_f16(__half2float(pair.x) + fade::to_f32(halves[1])));
}

int main() {
    void* values = nullptr;
    const hipError_t error = hipMalloc(&values, 64 * (sizeof(float) + sizeof(__half)));
    if (error != hipSuccess) return std::printf("HIP says: %s\n", hipGetErrorString(error)) < 0;
    kernel<<<1, 64>>>(static_cast<float*>(values),
                      reinterpret_cast<__half*>(static_cast<float*>(values) + 64));
    const hipError_t end = hipDeviceSynchronize();
    std::printf("a kernel ran: %s\n", hipGetErrorString(end));
    return end != hipSuccess;
}

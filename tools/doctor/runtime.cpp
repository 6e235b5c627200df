#include "runtime.hpp"
#if FADE_BENCH_HIP
#include <fade/backend/hip/reading.hpp>
#endif
#if FADE_BENCH_CUDA
#include <fade/backend/cuda/reading.hpp>
#endif

namespace fade::doctor {

std::vector<backend::device_reading> runtime_devices() {
    std::vector<backend::device_reading> out;
#if FADE_BENCH_HIP
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess) return out;
    for (int i = 0; i < count; ++i) out.push_back(backend::hip::read_device(i));
#elif FADE_BENCH_CUDA
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return out;
    for (int i = 0; i < count; ++i) out.push_back(backend::cuda::read_device(i));
#endif
    return out;
}

}  // namespace fade::doctor

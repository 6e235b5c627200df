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

std::map<std::string, std::string> runtime_versions() {
    std::map<std::string, std::string> out;
    [[maybe_unused]] const auto dotted = [](int version, int major, int minor) {
        return std::to_string(version / major) + "." + std::to_string(version % major / minor) +
               (minor > 10 ? "." + std::to_string(version % minor) : "");
    };
    [[maybe_unused]] int version = 0;
#if FADE_BENCH_HIP
    if (hipRuntimeGetVersion(&version) == hipSuccess) out["hip"] = dotted(version, 10000000, 100000);
#elif FADE_BENCH_CUDA
    if (cudaRuntimeGetVersion(&version) == cudaSuccess) out["cuda"] = dotted(version, 1000, 10);
    if (cudaDriverGetVersion(&version) == cudaSuccess) out["cuda of the driver"] = dotted(version, 1000, 10);
#endif
    return out;
}

}  // namespace fade::doctor

// A GPU, where this file is compiled by hipcc (or clang -x hip) or by nvcc.
#include "on_device.hpp"

namespace demo {
namespace {

#if defined(__HIP__) || defined(__HIPCC__)
constexpr const char* backend = "hip";
using gpu = fade::hip_device;
std::size_t free_bytes() {
    std::size_t free = 0, all = 0;
    return hipMemGetInfo(&free, &all) == hipSuccess ? free : 0;
}
#elif defined(__CUDACC__)
constexpr const char* backend = "cuda";
using gpu = fade::cuda_device;
std::size_t free_bytes() {
    std::size_t free = 0, all = 0;
    return cudaMemGetInfo(&free, &all) == cudaSuccess ? free : 0;
}
#else
constexpr const char* backend = "none";
#endif

#if defined(__HIP__) || defined(__HIPCC__) || defined(__CUDACC__)
std::unique_ptr<trainer> trainer_of(const std::string& name) {
    const std::string number = name == "auto" ? "0" : name.substr(name.find(':') + 1);
    if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
        throw fade::error("--device", name, "a GPU is named as " + std::string(backend) + ":0");
    const int at = std::stoi(number);
    try {
        const std::string words = gpu(at).name();
        return std::make_unique<trainer_on<gpu, decltype(&free_bytes)>>(words, &free_bytes, at);
    } catch (const fade::error&) {
        if (name == "auto") return nullptr;  // there is none
        throw;
    }
}
#else
std::unique_ptr<trainer> trainer_of(const std::string&) { return nullptr; }
#endif

}  // namespace

std::unique_ptr<trainer> gpu_trainer(const std::string& name) {
    const bool mine = name == "auto" || name.rfind(std::string(backend) + ":", 0) == 0;
    return mine ? trainer_of(name) : nullptr;
}

}  // namespace demo

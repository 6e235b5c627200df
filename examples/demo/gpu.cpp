// A GPU, where this file is compiled by hipcc (or clang -x hip) or by nvcc.
#include "on_device.hpp"

namespace demo {
namespace {

#if defined(__HIP__) || defined(__HIPCC__)
constexpr const char* backend = "hip";
using gpu = fade::hip_device;
#elif defined(__CUDACC__)
constexpr const char* backend = "cuda";
using gpu = fade::cuda_device;
#else
constexpr const char* backend = "none";
#endif

#if defined(__HIP__) || defined(__HIPCC__) || defined(__CUDACC__)
std::optional<outcome> run(const std::string& name, const settings& s, const digits& data) {
    const std::string number = name == "auto" ? "0" : name.substr(name.find(':') + 1);
    if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
        throw fade::error("--device", name, "a GPU is named as " + std::string(backend) + ":0");
    std::optional<gpu> device;
    try {
        device.emplace(std::stoi(number));
    } catch (const fade::error&) {
        if (name == "auto") return {};  // there is none
        throw;
    }
    return on_device(*device, device->name(), s, data);
}
#else
std::optional<outcome> run(const std::string&, const settings&, const digits&) { return {}; }
#endif

}  // namespace

std::optional<outcome> on_gpu(const std::string& name, const settings& s, const digits& data) {
    if (name != "auto" && name.rfind(std::string(backend) + ":", 0) != 0) return {};
    return run(name, s, data);
}

}  // namespace demo

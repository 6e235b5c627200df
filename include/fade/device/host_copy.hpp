// Where the memory of a device is, and copies of it on this CPU.
#pragma once
#include <fade/core/dtype.hpp>
#include <vector>

namespace FADE_NAMESPACE {

/// Is the device's memory that of the program?
template <class Device>
inline constexpr bool is_cpu = !requires(Device& device) { device.copy_to_host(nullptr, nullptr, 0); };

/// The elements of a list as they are once the device's stream is done, which a GPU is waited for.
template <class Device, class T>
std::vector<T> host_copy(Device& device, const T* list, index count) {
    if constexpr (is_cpu<Device>)
        return {list, list + count};
    else {
        std::vector<T> out(static_cast<std::size_t>(count));
        device.copy_to_host(out.data(), list, out.size() * sizeof(T));
        device.synchronize();
        return out;
    }
}

}  // namespace FADE_NAMESPACE

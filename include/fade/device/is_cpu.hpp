// Where a device's memory is.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Is the device's memory that of the program?
template <class Device>
inline constexpr bool is_cpu = !requires(Device& device) { device.copy_to_host(nullptr, nullptr, 0); };

}  // namespace FADE_NAMESPACE

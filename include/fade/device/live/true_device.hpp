// A GPU whose selector counts on what the machine says of it, not on what its runtime reports.
#pragma once
#include <fade/device/live/join.hpp>
#include <utility>

namespace FADE_NAMESPACE {

/// Device `ordinal` of the runtime behind Device, such as hip_device, with the compute units that it truly
/// has and may use.
template <class Device>
Device with_true_units(int ordinal = 0, decltype(std::declval<const Device&>().stream()) stream = {}) {
    return Device(ordinal, stream, selector_units(Device::read(ordinal)));
}

}  // namespace FADE_NAMESPACE

// What a device is to a database of tuned policies.
#pragma once
#include <fade/device/run_on.hpp>
#include <fade/tune/host_traits.hpp>
#include <fade/tune/tuned.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE {

/// "304 compute units": as corrected, never as a driver reports them. The host's caches and clock are part of
/// it, since CPUs of another kind run the same code, and what a described_device truly has.
template <class Device>
std::string traits_in_words(const Device& device) {
    const int units = device.compute_units();
    const std::string out = std::to_string(units) + (units == 1 ? " compute unit" : " compute units");
    if constexpr (std::is_same_v<Device, host_device>)
        return out + host_traits_in_words();
    else if constexpr (requires { device.true_traits(); })
        return out + device.true_traits();
    else
        return out;
}

/// The architecture that its kernels are compiled for, and what it really has.
template <class Device>
tuning_machine machine_of(const Device& device) {
    tuning_machine out;
    with_arch_of(device, [&](auto arch) { out.arch = std::string(decltype(arch)::traits.name); });
    out.traits = traits_in_words(device);
    return out;
}

}  // namespace FADE_NAMESPACE

// What differs between devices whose architecture is a type and those that learn it at run time.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/device/devices.hpp>

namespace fade {

/// Calls f with the device's architecture as a value of its type.
template <class Device, class F>
void with_arch_of(const Device& device, F&& f) {
    if constexpr (requires { typename Device::arch; }) f(typename Device::arch{});
    else device.with_arch(f);
}

/// What the vendor's runtime knows a kernel by; null on this CPU.
template <class Entry, class Device>
const void* entry_address(const Device&) {
    if constexpr (requires { Device::template entry_address<Entry>(); }) return Device::template entry_address<Entry>();
    else return nullptr;
}

}  // namespace fade

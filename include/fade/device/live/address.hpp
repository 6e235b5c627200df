// Where a runtime says that its device is.
#pragma once
#include <cstdio>
#include <fade/backend/device_reading.hpp>
#include <string>

namespace FADE_NAMESPACE::live {

/// domain:bus:device of a runtime's device, without the function, which runtimes do not tell; empty where it
/// tells no address.
inline std::string address_of(const backend::device_reading& r) {
    if (!r.pci_bus || *r.pci_bus > 255) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x", unsigned(r.pci_domain.value_or(0) & 0xffffffff),
                  unsigned(*r.pci_bus), unsigned(r.pci_device.value_or(0) & 31));
    return text;
}

/// The same with a function, as devices are named elsewhere: where the machine does not tell it, the first.
inline std::string slot_of(const backend::device_reading& r) {
    const std::string address = address_of(r);
    return address.empty() ? address : address + ".0";
}

}  // namespace FADE_NAMESPACE::live

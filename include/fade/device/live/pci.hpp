// AMD display and accelerator functions in PCI sysfs; their ids are readable without any driver.
#pragma once
#include <fade/device/live/tree.hpp>
#include <fade/device/truth/readings.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::live {

struct pci_function {
    std::string slot;
    truth::pci_reading ids;
    truth::sysfs_reading memory;
    truth::number render_minor;
};

namespace detail {

inline constexpr const char* pci_devices = "bus/pci/devices/";

/// Classes 03xxxx (display) and 1200xx (processing accelerator).
inline bool is_gpu(std::uint64_t pci_class) { return pci_class >> 16 == 0x03 || pci_class >> 8 == 0x1200; }

inline truth::number render_minor(const tree& sys, const std::string& device) {
    for (const std::string& name : sys.list(device + "/drm"))
        if (name.starts_with("renderD")) return tree::number_of(name.substr(7));
    return {};
}

}  // namespace detail

inline pci_function read_function(const tree& sys, const std::string& slot) {
    const std::string at = detail::pci_devices + slot;
    const auto get = [&](const char* name) { return sys.number(at + "/" + name); };
    pci_function f{.slot = slot,
                   .ids = {get("vendor"), get("device"), get("revision"), get("subsystem_vendor"),
                           get("subsystem_device"), slot, sys.line(at + "/vbios_version")},
                   .memory = {},
                   .render_minor = detail::render_minor(sys, at)};
    f.memory = {get("mem_info_vram_total"),
                get("mem_info_gtt_total"),
                {},
                sys.line(at + "/current_compute_partition"),
                sys.line(at + "/current_memory_partition")};
    return f;
}

inline std::vector<pci_function> amd_functions(const tree& sys) {
    std::vector<pci_function> out;
    for (const std::string& slot : sys.list("bus/pci/devices")) {
        const std::string at = detail::pci_devices + slot;
        const auto vendor = sys.number(at + "/vendor"), kind = sys.number(at + "/class");
        if (vendor && *vendor == 0x1002 && kind && detail::is_gpu(*kind))
            out.push_back(read_function(sys, slot));
    }
    return out;
}

}  // namespace FADE_NAMESPACE::live

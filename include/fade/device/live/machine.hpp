// All readings of this machine, or of a recorded sysfs tree: one per device, joined by PCI
// domain:bus:device.function.
#pragma once
#include <fade/device/live/access.hpp>
#include <fade/device/live/cpu.hpp>
#include <fade/device/live/drm.hpp>
#include <fade/device/live/environment.hpp>
#include <fade/device/live/ids_file.hpp>
#include <fade/device/live/kfd.hpp>
#include <fade/device/live/pci.hpp>
#include <fade/device/live/user.hpp>
#include <fade/device/truth/description.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::live {

namespace detail {

/// The PCI function of a node; partitions beyond the first have none of their own, so the card's answers for
/// them.
inline const pci_function* function_of(const std::vector<pci_function>& all, const std::string& slot) {
    for (const pci_function& f : all)
        if (f.slot == slot) return &f;
    if (slot.empty()) return nullptr;
    for (const pci_function& f : all)
        if (f.slot.substr(0, f.slot.rfind('.')) == slot.substr(0, slot.rfind('.'))) return &f;
    return nullptr;
}

inline void add_function(truth::readings& r, const pci_function& f) { r.pci = f.ids, r.sysfs = f.memory; }

}  // namespace detail

/// What a sysfs tree holds of every AMD GPU. Pure reading: the same for /sys and for a copy of another
/// machine's.
inline std::vector<truth::readings> read_tree(const tree& sys) {
    std::vector<truth::readings> out;
    auto functions = amd_functions(sys);
    std::vector<std::string> met;
    for (truth::kernel_reading& k : kfd_nodes(sys)) {
        truth::readings r;
        const std::string slot = slot_of(k);
        if (const pci_function* f = detail::function_of(functions, slot))
            detail::add_function(r, *f), met.push_back(f->slot);
        if (!slot.empty()) r.pci.slot = slot;
        r.kernel = std::move(k);
        out.push_back(std::move(r));
    }
    for (const pci_function& f : functions)
        if (std::ranges::find(met, f.slot) == met.end()) {
            truth::readings r;
            detail::add_function(r, f);
            if (f.render_minor) r.kernel.render_minor = f.render_minor;
            out.push_back(std::move(r));
        }
    return out;
}

/// This machine: its sysfs tree, the driver behind each render node, the id table, the environment, and what
/// may be opened.
inline std::vector<truth::readings> read_machine() {
    auto out = read_tree(tree("/sys"));
    const tree root("/");
    const user_config config = read_config();
    const auto kernel = root.line("proc/sys/kernel/osrelease"),
               driver = root.line("sys/module/amdgpu/version");
    const std::string ids = root.text("usr/share/libdrm/amdgpu.ids").value_or("");
    for (truth::readings& r : out) {
        if (r.kernel.render_minor && *r.kernel.render_minor >= 128)
            r.driver = read_drm(*r.kernel.render_minor);
        if (r.pci.device && r.pci.revision)
            r.driver.name = marketing_name(ids, *r.pci.device, *r.pci.revision);
        r.state = read_access(r.kernel.render_minor);
        r.sysfs.host_memory = detail::host_memory(root);
        if (kernel) r.versions["kernel"] = *kernel;
        if (driver) r.versions["amdgpu"] = *driver;
        read_environment(r), r.user = read_user(config, r.pci.slot.value_or(""));
    }
    return out;
}

}  // namespace FADE_NAMESPACE::live

namespace FADE_NAMESPACE {

/// The truth about every AMD GPU that the kernel or PCI shows; nothing is written anywhere.
inline std::vector<device_description> query_devices() {
    std::vector<device_description> out;
    for (const truth::readings& r : live::read_machine()) out.push_back(describe(r));
    return out;
}

/// The same, asked once per process.
inline const std::vector<device_description>& known_devices() {
    static const std::vector<device_description> all = query_devices();
    return all;
}

}  // namespace FADE_NAMESPACE

// Can programs run on the device, and if not, what to do about it.
#pragma once
#include <fade/device/truth/readings.hpp>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::truth {

struct use {
    bool possible = true;
    std::string why;  ///< one sentence; empty where nothing speaks against it
    std::string remedy;
};

namespace detail {

struct errno_words {
    const char* name;
    const char* why;
    const char* remedy;
};

/// Each errno of opening /dev/kfd or a render node has its own cause (ROCm#1798, #4452, #4043, #5379,
/// rocminfo#41).
inline constexpr errno_words errnos[] = {
    {"ENOENT", "/dev/kfd does not exist",
     "load the amdgpu driver (modprobe amdgpu; after a change of Secure Boot its module may no longer be "
     "signed), or pass --device=/dev/kfd --device=/dev/dri to the container"},
    {"EACCES", "this user may not open the device",
     "add the user to the groups render and video, and log in again"},
    {"EPERM", "the container or its security profile forbids the device",
     "allow the device in the container's cgroup (--device=/dev/kfd --device=/dev/dri)"},
    {"ENOMEM", "the kernel has no memory left for another process of the compute driver",
     "look for a leaked process in /sys/class/kfd/kfd/proc, for the memory limit of the cgroup, and at "
     "dmesg"},
    {"EINVAL", "the device node belongs to another driver or kernel",
     "compare the kernel of the host with the container's device nodes: the numbers of /dev/kfd have "
     "changed"},
    {"ENODEV", "the driver is loaded but found no device",
     "look at dmesg for amdgpu: firmware may be missing, or the device is bound to vfio-pci"},
    {"ENXIO", "the node exists but no driver answers", "load the amdgpu driver (modprobe amdgpu)"},
    {"EBUSY", "another process holds the device exclusively", "find it with fuser /dev/kfd"},
    {"EIO", "the device hangs or has fallen off the bus",
     "look at dmesg for a reset of amdgpu, and restart the machine"},
    {"EMFILE", "this process has too many open files", "raise ulimit -n"},
};

inline use refused(const std::string& name) {
    for (const errno_words& e : errnos)
        if (name == e.name) return {false, std::string(e.why) + " (" + e.name + ")", e.remedy};
    return {false, "opening the device failed (" + name + ")", "look at dmesg for amdgpu"};
}

}  // namespace detail

/// WSL has no /dev/kfd and needs none: there /dev/dxg is the way to the device. A record that does not say
/// whether it was there says nothing against the device.
inline use may_use(const readings& r) {
    const state_reading& s = r.state;
    if (s.dxg_present && *s.dxg_present) return {};
    if (r.system && *r.system == "windows") return {};
    if (r.system && r.system->starts_with("wsl")) {
        if (!s.dxg_present) return {};
        return {false, "WSL shows no GPU: /dev/dxg does not exist",
                "update WSL (wsl --update) and the GPU driver of Windows"};
    }
    if (s.kfd_errno && !s.kfd_errno->empty()) return detail::refused(*s.kfd_errno);
    if (s.kfd_present && !*s.kfd_present) return detail::refused("ENOENT");
    if (s.render_errno && !s.render_errno->empty()) {
        use u = detail::refused(*s.render_errno);
        u.why = "the render node: " + u.why;
        return u;
    }
    return {};
}

}  // namespace FADE_NAMESPACE::truth

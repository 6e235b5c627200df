// AMDGPU_INFO_DEV_INFO through libdrm, loaded at run time: no dependency where it is absent.
#pragma once
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fade/device/truth/readings.hpp>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace FADE_NAMESPACE::live {

namespace detail {

/// The head of struct drm_amdgpu_info_device of the kernel's interface (amdgpu_drm.h), which only grows at
/// its end.
struct drm_info {
    std::uint32_t device_id, chip_rev, external_rev, pci_rev, family, engines, arrays_per_engine,
        counter_freq;
    std::uint64_t max_engine_khz, max_memory_khz;
    std::uint32_t active_cus, ao_mask, bitmap[4][4], pipes_mask, pipes, hw_contexts, pcie_generation;
    std::uint64_t flags, va_start, va_end;
    std::uint32_t alignment, pte_fragment, page_bytes, ce_ram, vram_type, vram_bits, vce_mask;
    unsigned char rest[512];
};

/// A library that is open for as long as the object lives.
class library {
public:
    explicit library(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
    ~library() {
        if (handle_) ::dlclose(handle_);
    }
    library(const library&) = delete;
    library& operator=(const library&) = delete;
    template <class F>
    F* get(const char* name) const {
        return handle_ ? reinterpret_cast<F*>(::dlsym(handle_, name)) : nullptr;
    }

private:
    void* handle_;
};

inline void fill(truth::driver_reading& to, const drm_info& i) {
    to.active_cus = i.active_cus, to.shader_engines = i.engines, to.arrays_per_engine = i.arrays_per_engine;
    to.max_engine_mhz = i.max_engine_khz / 1000, to.max_memory_mhz = i.max_memory_khz / 1000,
    to.bus_bits = i.vram_bits;
}

}  // namespace detail

/// What the driver behind a render node says; empty where the node or the library cannot be opened.
inline truth::driver_reading read_drm(std::uint64_t render_minor) {
    truth::driver_reading out;
    const detail::library drm("libdrm_amdgpu.so.1");
    const auto start = drm.get<int(int, std::uint32_t*, std::uint32_t*, void**)>("amdgpu_device_initialize");
    const auto query = drm.get<int(void*, unsigned, unsigned, void*)>("amdgpu_query_info");
    const auto stop = drm.get<int(void*)>("amdgpu_device_deinitialize");
    const int fd =
        start && query && stop
            ? ::open(("/dev/dri/renderD" + std::to_string(render_minor)).c_str(), O_RDWR | O_CLOEXEC)
            : -1;
    if (fd < 0) return out;
    void* device = nullptr;
    std::uint32_t major = 0, minor = 0;
    constexpr unsigned device_info = 0x16;  // AMDGPU_INFO_DEV_INFO
    detail::drm_info info{};
    if (start(fd, &major, &minor, &device) == 0) {
        if (query(device, device_info, sizeof info, &info) == 0) detail::fill(out, info);
        stop(device);
    }
    ::close(fd);
    return out;
}

}  // namespace FADE_NAMESPACE::live

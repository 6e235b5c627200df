// What each source said of one device. A source that was not asked or did not answer is empty: absent is not
// zero.
#pragma once
#include <fade/backend/device_reading.hpp>
#include <map>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

using backend::number;
using backend::word;

/// One HSA agent as rocminfo prints it. It comes from the kernel's topology, through a user-space library.
struct agent_reading {
    word name, marketing_name, uuid;
    number l1_kib, l2_kib, l3_kib, chip_id, asic_revision, cacheline_bytes, max_clock_mhz, bdfid;
    number compute_units, simds_per_cu, shader_engines, arrays_per_engine, wavefront_size, max_waves_per_cu,
        pool_kib, group_pool_kib;
    bool apu = false;
};

struct cache_reading {
    std::uint64_t level = 0, size_kib = 0, count = 0;
};

/// A node of the kernel's topology (/sys/class/kfd), which no environment variable changes.
struct kernel_reading {
    number simd_count, simd_per_cu, max_waves_per_simd, lds_kib, wave_front_size, array_count,
        arrays_per_engine, cu_per_array;
    number gfx_target_version, vendor_id, device_id, location_id, domain, render_minor, num_xcc, unique_id,
        hive_id, max_engine_mhz, cpu_cores;
    number bank_bytes, bank_width, bank_clock_mhz;
    std::vector<cache_reading> caches;
};

/// AMDGPU_INFO_DEV_INFO and its neighbours: the driver's own count of what the fuses left.
struct driver_reading {
    word name, asic_name, memory_kind;
    number active_cus, shader_engines, arrays_per_engine, array_count, cu_per_array, wave_front_size,
        max_engine_mhz, max_memory_mhz, bus_bits, l2_bytes, l3_bytes, vram_bytes, gtt_bytes;
};

/// PCI configuration space; readable without any driver.
struct pci_reading {
    number vendor, device, revision, subsystem_vendor, subsystem_device;
    word slot, vbios;
};

struct sysfs_reading {
    number vram_total, gtt_total, host_memory;
    word compute_partition, memory_partition;
};

/// A management library, or a profiler's table of the machine.
struct management_reading {
    word model;
    number cus, xccs, shader_engines, wave_size, simd_per_cu, max_waves_per_cu, l2_kib, max_engine_mhz,
        max_memory_mhz, vram_total;
    std::optional<double> bandwidth_gb_s;
};

struct opencl_reading {
    number compute_units, simd_per_unit, wavefront_width, global_memory;
};

/// Facts about the machine that decide whether a device can be used.
struct state_reading {
    std::optional<bool> kfd_present, dxg_present;
    word kfd_errno, render_errno;
    word container;  ///< its kind, in the words of whoever recorded it
};

/// What the user knows better (FADE_CU_COUNT and the like).
struct user_reading {
    word gfx;
    number cu_count, l2_bytes;
};

struct readings {
    backend::device_reading runtime, framework;
    agent_reading agent;
    kernel_reading kernel;
    driver_reading driver;
    pci_reading pci;
    sysfs_reading sysfs;
    management_reading management;
    opencl_reading opencl;
    state_reading state;
    user_reading user;
    std::map<std::string, std::string> environment;
    word system;                                  ///< windows, wsl2, or absent for Linux
    std::map<std::string, std::string> versions;  ///< of the driver, the kernel, runtimes, by name
};

}  // namespace FADE_NAMESPACE::truth

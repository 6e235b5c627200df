// What the readings of all sources state, in one unit each and with the name of who said it.
#pragma once
#include <bit>
#include <fade/device/truth/architecture.hpp>
#include <fade/device/truth/readings.hpp>
#include <optional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

struct claim {
    std::uint64_t value;
    const char* source;
};
using claims = std::vector<claim>;  // in order of trust

struct named {
    std::string value;
    const char* source;
};

struct facts {
    std::optional<claim> device, revision;
    std::vector<named> names;          ///< marketing names, in order of trust
    std::string kernel_gfx;            ///< from the kernel; no variable changes it
    std::optional<named> runtime_gfx;  ///< from user space; HSA_OVERRIDE_GFX_VERSION changes it
    bool overridden = false;
    bool foreign = false;                ///< another vendor's device
    claims units;                        ///< compute units, as counted by each source that counts them
    std::optional<std::uint64_t> simds;  ///< the kernel's SIMDs where it does not say how many make a CU
    std::optional<std::uint64_t> slots;  ///< places for CUs: working ones are at most so many
    std::optional<std::uint64_t> slots_per_array, all_arrays;
    bool arrays_of_package = false;  ///< the driver's count is that of the package, of partitions too
    std::optional<claim> multiprocessors;
    std::optional<std::uint64_t> threads_per_multiprocessor;
    bool unit_mode = false, masked = false, cooperative = false;
    std::optional<std::uint64_t> mask_bits;  ///< CUs that the mask for every device names
    std::optional<claim> wave, xccs, memory;
    std::optional<claim> bus;             ///< bits; the runtime's own figure is not among it
    claims l2, l3, engines, arrays;       ///< bytes; engines as printed, which may count arrays
    std::optional<claim> waves_per_unit;  ///< as printed: old kernels multiply by 4 SIMDs
    number major, minor;
    std::string partition;
    bool apu = false;
    bool carve_out = false;  ///< an APU whose own memory is a small part of the machine's
};

facts gather(const readings& r);

namespace detail {

inline void say(claims& to, const number& value, const char* source) {
    if (value) to.push_back({*value, source});
}
inline void say(std::optional<claim>& to, const number& value, const char* source) {
    if (!to && value) to = claim{*value, source};
}
inline void say(std::vector<named>& to, const word& value, const char* source) {
    if (value && !value->empty()) to.push_back({*value, source});
}
inline void say(std::optional<named>& to, const word& value, const char* source) {
    if (!to && value && value->starts_with("gfx")) to = named{without_features(*value), source};
}
constexpr std::uint64_t max_counted = std::uint64_t(1)
                                      << 40;  // above it a factor is nonsense, and products would overflow
inline number scaled(const number& value, std::uint64_t by) {
    return value && *value < max_counted ? number(*value * by) : number();
}

/// An environment variable that is set to something other than nothing.
inline bool is_set(const readings& r, const char* name) {
    const auto found = r.environment.find(name);
    return found != r.environment.end() && !found->second.empty();
}

/// HSA_OVERRIDE_GFX_VERSION, and its form for one node, HSA_OVERRIDE_GFX_VERSION_0.
inline bool overridden(const readings& r) {
    const std::string name = "HSA_OVERRIDE_GFX_VERSION";
    for (const auto& [key, value] : r.environment)
        if (key.starts_with(name) && !value.empty()) return true;
    return false;
}

/// The bits that are set in a number such as 0xf; nothing where it is none.
inline std::optional<std::uint64_t> bits_of(std::string_view hex) {
    if (hex.starts_with("0x") || hex.starts_with("0X")) hex.remove_prefix(2);
    std::uint64_t bits = 0;
    for (char c : hex) {
        const std::size_t digit =
            std::string_view("0123456789abcdef").find(char(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
        if (digit == std::string_view::npos) return {};
        bits += std::uint64_t(std::popcount(digit));
    }
    return bits ? std::optional(bits) : std::nullopt;
}

inline number cache_bytes(const kernel_reading& k, std::uint64_t level) {
    std::uint64_t sum = 0;
    for (const cache_reading& c : k.caches)
        if (c.level == level && c.size_kib < max_counted && c.count < 4096)
            sum += c.size_kib * 1024 * c.count;
    return sum ? number(sum) : number();
}

inline bool is_foreign(const readings& r) {
    const auto vendor = r.pci.vendor ? r.pci.vendor : r.kernel.vendor_id;
    if (vendor) return *vendor != 0x1002;
    for (const word* name : {&r.runtime.name, &r.framework.name})
        for (const char* other : {"NVIDIA", "GeForce", "Intel"})
            if (*name && (*name)->find(other) != std::string::npos) return true;
    return false;
}

inline void gather_identity(facts& f, const readings& r) {
    f.foreign = is_foreign(r);
    say(f.device, r.pci.device, "pci"), say(f.device, r.kernel.device_id, "kfd"),
        say(f.device, r.agent.chip_id, "rocminfo");
    say(f.revision, r.pci.revision, "pci");
    say(f.names, r.runtime.name, "hip"), say(f.names, r.agent.marketing_name, "rocminfo"),
        say(f.names, r.driver.name, "drm");
    say(f.names, r.framework.name, "torch"), say(f.names, r.management.model, "smi");
    if (r.kernel.gfx_target_version) f.kernel_gfx = gfx_name(*r.kernel.gfx_target_version);
    if (f.kernel_gfx.empty() && r.driver.asic_name && r.driver.asic_name->starts_with("GFX"))
        f.kernel_gfx = "gfx" + r.driver.asic_name->substr(3);
    if (!find_architecture(f.kernel_gfx) && !r.kernel.gfx_target_version) f.kernel_gfx.clear();
    say(f.runtime_gfx, r.runtime.target, "hip"), say(f.runtime_gfx, r.framework.target, "torch"),
        say(f.runtime_gfx, r.agent.name, "rocminfo");
    f.overridden = overridden(r);
    f.major = r.runtime.major, f.minor = r.runtime.minor;
}

/// On devices of several compute dies the driver's counts are those of the package or of one die; the
/// topology has the partition's.
inline bool counts_of_driver(const facts& f) {
    return !f.kernel_gfx.starts_with("gfx94") && !f.kernel_gfx.starts_with("gfx95");
}

inline void gather_counts(facts& f, const readings& r) {
    if (counts_of_driver(f)) say(f.units, r.driver.active_cus, "drm");
    const kernel_reading& k = r.kernel;
    if (k.simd_count && k.simd_per_cu && *k.simd_per_cu > 0)
        say(f.units, *k.simd_count / *k.simd_per_cu, "kfd");
    else if (k.simd_count)
        f.simds = k.simd_count;
    say(f.units, r.agent.compute_units, "rocminfo"), say(f.units, r.management.cus, "smi");
    f.all_arrays = k.array_count ? k.array_count : r.driver.array_count, f.arrays_of_package = !k.array_count,
    f.slots_per_array = k.cu_per_array ? k.cu_per_array : r.driver.cu_per_array;
    if (f.all_arrays && f.slots_per_array && *f.all_arrays < max_counted)
        f.slots = scaled(f.slots_per_array, *f.all_arrays);
    say(f.multiprocessors, r.runtime.multiprocessors, "hip"),
        say(f.multiprocessors, r.framework.multiprocessors, "torch");
    f.threads_per_multiprocessor = r.runtime.threads_per_multiprocessor
                                       ? r.runtime.threads_per_multiprocessor
                                       : r.framework.threads_per_multiprocessor;
    const auto mode = r.environment.find("GPU_ENABLE_WGP_MODE");
    f.unit_mode = mode != r.environment.end() && mode->second == "0";
    f.masked = is_set(r, "ROC_GLOBAL_CU_MASK") || is_set(r, "HSA_CU_MASK");
    if (is_set(r, "ROC_GLOBAL_CU_MASK") && !is_set(r, "HSA_CU_MASK"))
        f.mask_bits = bits_of(r.environment.at("ROC_GLOBAL_CU_MASK"));
    f.cooperative = is_set(r, "HSA_COOP_CU_COUNT");
    say(f.xccs, k.num_xcc, "kfd"), say(f.xccs, r.management.xccs, "smi");
    if (r.sysfs.compute_partition) f.partition = *r.sysfs.compute_partition;
}

inline void gather_shape(facts& f, const readings& r) {
    const kernel_reading& k = r.kernel;
    say(f.wave, k.wave_front_size, "kfd"), say(f.wave, r.driver.wave_front_size, "drm"),
        say(f.wave, r.agent.wavefront_size, "rocminfo");
    say(f.wave, r.runtime.warp_size, "hip"), say(f.wave, r.framework.warp_size, "torch"),
        say(f.wave, r.management.wave_size, "smi");
    say(f.waves_per_unit, r.agent.max_waves_per_cu, "rocminfo"),
        say(f.waves_per_unit, r.management.max_waves_per_cu, "smi");
    if (counts_of_driver(f)) say(f.engines, r.driver.shader_engines, "drm");
    if (k.array_count && k.arrays_per_engine && *k.arrays_per_engine > 0)
        say(f.engines, *k.array_count / *k.arrays_per_engine, "kfd");
    say(f.engines, r.agent.shader_engines, "rocminfo"), say(f.engines, r.management.shader_engines, "smi");
    say(f.arrays, r.driver.arrays_per_engine, "drm"), say(f.arrays, k.arrays_per_engine, "kfd"),
        say(f.arrays, r.agent.arrays_per_engine, "rocminfo");
}

inline void gather_memory(facts& f, const readings& r) {
    say(f.l2, cache_bytes(r.kernel, 2), "kfd"), say(f.l2, r.driver.l2_bytes, "drm"),
        say(f.l2, scaled(r.agent.l2_kib, 1024), "rocminfo");
    say(f.l2, r.runtime.l2_bytes, "hip"), say(f.l2, r.framework.l2_bytes, "torch"),
        say(f.l2, scaled(r.management.l2_kib, 1024), "smi");
    say(f.l3, cache_bytes(r.kernel, 3), "kfd"), say(f.l3, r.driver.l3_bytes, "drm"),
        say(f.l3, scaled(r.agent.l3_kib, 1024), "rocminfo");
    say(f.memory, r.sysfs.vram_total, "sysfs"), say(f.memory, r.driver.vram_bytes, "drm"),
        say(f.memory, r.kernel.bank_bytes, "kfd");
    say(f.memory, scaled(r.agent.pool_kib, 1024), "rocminfo"), say(f.memory, r.runtime.total_memory, "hip"),
        say(f.memory, r.framework.total_memory, "torch");
    if (r.driver.bus_bits && *r.driver.bus_bits) say(f.bus, r.driver.bus_bits, "drm");
    if (r.kernel.bank_width && *r.kernel.bank_width) say(f.bus, r.kernel.bank_width, "kfd");
    const sysfs_reading& s = r.sysfs;
    // An APU's kernel bank is the pool of system pages (rocm-systems#8475), never so on a card.
    f.carve_out = s.vram_total && s.gtt_total && r.kernel.bank_bytes &&
                  *r.kernel.bank_bytes == *s.gtt_total && *s.vram_total < *s.gtt_total / 2;
    f.apu = f.carve_out || r.agent.apu || (r.runtime.integrated && *r.runtime.integrated == 1);
}

}  // namespace detail

inline facts gather(const readings& r) {
    facts f;
    detail::gather_identity(f, r), detail::gather_counts(f, r), detail::gather_shape(f, r),
        detail::gather_memory(f, r);
    return f;
}

}  // namespace FADE_NAMESPACE::truth

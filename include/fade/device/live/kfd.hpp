// The kernel's topology: one node per GPU or partition, and per CPU socket.
#pragma once
#include <cstdio>
#include <fade/device/live/tree.hpp>
#include <fade/device/truth/readings.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::live {

namespace detail {

inline truth::number property(const std::map<std::string, std::uint64_t>& p, const char* name) {
    const auto found = p.find(name);
    return found == p.end() ? truth::number() : truth::number(found->second);
}

inline void read_caches(truth::kernel_reading& to, const tree& sys, const std::string& node) {
    for (const std::string& n : sys.list(node + "/caches")) {
        const auto p = sys.properties(node + "/caches/" + n + "/properties");
        if (const auto level = property(p, "level"), size = property(p, "size"); level && size)
            to.caches.push_back({*level, *size, 1});
    }
}

inline void read_bank(truth::kernel_reading& to, const tree& sys, const std::string& node) {
    const auto bank = sys.properties(node + "/mem_banks/0/properties");
    to.bank_bytes = property(bank, "size_in_bytes"), to.bank_width = property(bank, "width"),
    to.bank_clock_mhz = property(bank, "mem_clk_max");
}

inline truth::kernel_reading read_node(const tree& sys, const std::string& node) {
    const auto p = sys.properties(node + "/properties");
    const auto get = [&](const char* name) { return property(p, name); };
    truth::kernel_reading k;
    k.simd_count = get("simd_count"), k.simd_per_cu = get("simd_per_cu"),
    k.max_waves_per_simd = get("max_waves_per_simd"), k.lds_kib = get("lds_size_in_kb");
    k.wave_front_size = get("wave_front_size"), k.array_count = get("array_count"),
    k.arrays_per_engine = get("simd_arrays_per_engine"), k.cu_per_array = get("cu_per_simd_array");
    k.gfx_target_version = get("gfx_target_version"), k.vendor_id = get("vendor_id"),
    k.device_id = get("device_id"), k.location_id = get("location_id"), k.domain = get("domain");
    k.render_minor = get("drm_render_minor"), k.num_xcc = get("num_xcc"), k.unique_id = get("unique_id"),
    k.hive_id = get("hive_id");
    k.max_engine_mhz = get("max_engine_clk_fcompute"), k.cpu_cores = get("cpu_cores_count");
    read_caches(k, sys, node), read_bank(k, sys, node);
    return k;
}

}  // namespace detail

/// The nodes with SIMDs. Old APUs put CPU cores and SIMDs into one node (ROCm#121), so CPU cores are no
/// reason to skip one.
inline std::vector<truth::kernel_reading> kfd_nodes(const tree& sys) {
    std::vector<truth::kernel_reading> out;
    const std::string nodes = "class/kfd/kfd/topology/nodes";
    for (const std::string& n : sys.list(nodes)) {
        auto k = detail::read_node(sys, nodes + "/" + n);
        if (k.simd_count && *k.simd_count > 0) out.push_back(std::move(k));
    }
    return out;
}

/// Domain:bus:device.function of a node; function bits tell partitions of one card apart (ROCm#4750).
inline std::string slot_of(const truth::kernel_reading& k) {
    if (!k.location_id) return {};
    const std::uint64_t at = *k.location_id;
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", unsigned(k.domain.value_or(0) & 0xffffffff),
                  unsigned(at >> 8 & 255), unsigned(at >> 3 & 31), unsigned(at & 7));
    return text;
}

}  // namespace FADE_NAMESPACE::live

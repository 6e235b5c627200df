// How many workgroups of a kernel fit on a scheduling unit, and what stops more.
#pragma once
#include <algorithm>
#include <fade/device/plan/unit.hpp>
#include <string>
#include <utility>

namespace FADE_NAMESPACE {

/// What a compiled kernel needs.
struct kernel_resources {
    std::uint64_t threads = 0;    ///< of a workgroup
    std::uint64_t wave_size = 0;  ///< that it was compiled for
    std::uint64_t vgprs = 0;      ///< vector registers a lane, as the compiler reports them
    std::uint64_t agprs = 0;      ///< accumulation registers likewise
    std::uint64_t lds_bytes = 0;  ///< static and dynamic
};

/// How many workgroups of a kernel are resident on a scheduling unit.
struct occupancy {
    std::uint64_t workgroups_per_unit = 0;  ///< 0: one does not fit
    std::uint64_t waves_per_simd = 0;       ///< of those workgroups, on the fullest vector unit
    bool per_pair = false;                  ///< the unit is a work-group processor
    std::string limit;                      ///< waves, registers, lds, barriers
};

namespace plan::detail {

constexpr std::uint64_t rounded(std::uint64_t n, std::uint64_t granule) {
    return (n + granule - 1) / granule * granule;
}

/// Waves of a SIMD that the registers leave. gfx908 has two files of their own; a unified file aligns the
/// first part to 4.
inline std::uint64_t waves_by_registers(const scheduling_unit& u, const kernel_resources& k) {
    const std::uint64_t lane_bytes = k.wave_size * 4;
    const std::uint64_t file = u.split_file ? u.vgpr_bytes_per_simd / 2 : u.vgpr_bytes_per_simd;
    const std::uint64_t registers = u.split_file ? std::max(k.vgprs, k.agprs)
                                    : k.agprs    ? rounded(k.vgprs, 4) + k.agprs
                                                 : k.vgprs;
    const std::uint64_t bytes =
        rounded(std::max<std::uint64_t>(registers, 1) * lane_bytes, u.vgpr_granule_bytes);
    return std::min(u.waves_per_simd, file / bytes);
}

inline void check(const kernel_resources& k, const scheduling_unit& u) {
    if (k.wave_size != 32 && k.wave_size != 64)
        throw error("wave_size", std::to_string(k.wave_size), "waves have 32 or 64 lanes");
    if (k.threads == 0 || k.threads > 1024)
        throw error("threads", std::to_string(k.threads), "a workgroup has 1 to 1024 work-items");
    if (k.lds_bytes > u.lds_per_workgroup_bytes)
        throw error("lds_bytes", std::to_string(k.lds_bytes),
                    "a workgroup may own at most " + std::to_string(u.lds_per_workgroup_bytes) +
                        " bytes here");
}

}  // namespace plan::detail

/// Zero workgroups where one does not fit; `limit` says why. Pools are those of the unit, so nothing is
/// doubled.
inline occupancy occupancy_of(const scheduling_unit& u, const kernel_resources& k) {
    using namespace plan::detail;
    check(k, u);
    const std::uint64_t waves = (k.threads + k.wave_size - 1) / k.wave_size,
                        by_registers = waves_by_registers(u, k);
    const std::uint64_t lds = rounded(k.lds_bytes, u.lds_granule);
    const std::pair<std::uint64_t, const char*> limits[] = {{u.waves_per_simd * u.simds / waves, "waves"},
                                                            {by_registers * u.simds / waves, "registers"},
                                                            {lds ? u.lds_bytes / lds : ~0ull, "lds"},
                                                            {waves > 1 ? u.barriers : ~0ull, "barriers"}};
    const auto& [max, limit] = *std::ranges::min_element(limits, {}, [](const auto& l) { return l.first; });
    return {max, (max * waves + u.simds - 1) / u.simds, u.pair, limit};
}

/// The wave size of a kernel is fixed when it is compiled; a device of another width cannot run it.
inline void check_wave_size(std::uint64_t compiled, const device_traits& t) {
    if (!t.wavefront_supported) return;
    if (const auto& sizes = *t.wavefront_supported; std::ranges::find(sizes, compiled) == sizes.end())
        throw error("wave_size", std::to_string(compiled),
                    "the device " + (t.gfx ? *t.gfx : std::string()) + " has no waves of that size");
}

}  // namespace FADE_NAMESPACE

// The unit that workgroups are scheduled to: a CU, or on RDNA in WGP mode a work-group processor of two.
#pragma once
#include <cstdint>
#include <fade/core/error.hpp>
#include <fade/device/truth/traits.hpp>
#include <string_view>

namespace FADE_NAMESPACE {

/// One scheduling unit with pools of its own scope: nothing here may be multiplied by a count of another
/// unit.
struct scheduling_unit {
    bool pair = false;                          ///< two CUs
    std::uint64_t count = 0;                    ///< units that may be used
    std::uint64_t simds = 0;                    ///< vector units
    std::uint64_t waves_per_simd = 0;           ///< that one of them can hold
    std::uint64_t lds_bytes = 0;                ///< shared memory
    std::uint64_t lds_per_workgroup_bytes = 0;  ///< that one workgroup may own
    std::uint64_t lds_granule = 512;            ///< bytes that are allocated at once
    std::uint64_t vgpr_bytes_per_simd = 0;      ///< vector registers of a vector unit
    std::uint64_t vgpr_granule_bytes = 0;       ///< of a wave, all lanes
    std::uint64_t barriers = 0;                 ///< workgroups of several waves that may be resident
    bool split_file = false;                    ///< gfx908: half of the registers are accumulation registers
};

namespace plan::detail {

inline std::uint64_t need(const truth::count& f, const char* name) {
    if (!f) throw error(name, "unknown", "a launch cannot be planned without it: " + f.why);
    return *f;
}

/// Bytes of a wave's registers that are allocated at once: granules of LLVM's target description times lanes.
inline std::uint64_t vgpr_granule(std::string_view gfx, bool pairs, std::uint64_t file) {
    if (pairs) return (file == 196608 ? 24 : gfx.starts_with("gfx101") ? 8 : 16) * 32 * 4;
    const bool unified = gfx == "gfx90a" || gfx.starts_with("gfx94") || gfx.starts_with("gfx95");
    return (unified ? 8 : 4) * 64 * 4;
}

inline std::uint64_t lds_granule(std::string_view gfx, bool rdna) {
    return gfx == "gfx950" ? 1280 : rdna ? 1024 : 512;
}

}  // namespace plan::detail

/// The unit of a device. `unit_mode`: kernels compiled with -mcumode, which confines a workgroup to one CU
/// and half of the LDS.
inline scheduling_unit unit_of(const device_traits& t, bool unit_mode = false) {
    using namespace plan::detail;
    if (!t.gfx) throw error("architecture", "unknown", "a launch cannot be planned without it: " + t.gfx.why);
    const bool rdna = bool(t.lds_per_wgp_bytes), pair = rdna && !unit_mode;
    const std::uint64_t cus = need(t.usable_cu_count, "usable_cu_count");
    const std::uint64_t pool = rdna ? *t.lds_per_wgp_bytes : need(t.lds_per_cu_bytes, "lds_per_cu_bytes");
    scheduling_unit u;
    u.pair = pair, u.count = pair ? cus / 2 : cus;
    u.simds = need(t.simd_per_cu, "simd_per_cu") * (pair ? 2 : 1),
    u.waves_per_simd = need(t.max_waves_per_simd, "max_waves_per_simd");
    u.lds_bytes = rdna && !pair ? pool / 2 : pool,
    u.lds_per_workgroup_bytes = need(t.lds_per_workgroup_bytes, "lds_per_workgroup_bytes");
    u.lds_granule = lds_granule(*t.gfx, rdna);
    u.vgpr_bytes_per_simd = need(t.vgpr_bytes_per_simd, "vgpr_bytes_per_simd"),
    u.split_file = *t.gfx == "gfx908";
    u.vgpr_granule_bytes = vgpr_granule(*t.gfx, rdna, u.vgpr_bytes_per_simd);
    u.barriers = pair ? 32 : 16;  // commonly published; not measured here
    return u;
}

}  // namespace FADE_NAMESPACE

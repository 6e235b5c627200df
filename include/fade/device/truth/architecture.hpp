// What the true architecture name fixes. Rows are data: a new architecture is a line.
#pragma once
#include <array>
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::truth {

/// Sources: ROCm's gpu-arch-specs (its RDNA figures are per WGP), the kernel's VGPR table (hsakmt topology.c)
/// and max_waves_per_simd, ROCm/ROCm#3403 (64 KiB per workgroup on RDNA), GPUOpen rgp#86 (20 waves on RDNA1,
/// 16 later).
struct architecture {
    std::string_view gfx;
    bool rdna;    ///< CUs come in pairs, as work-group processors
    bool wave64;  ///< RDNA only: the compiler may choose 64 as well; GCN and CDNA know 64 alone
    std::uint32_t simd_per_cu, waves_per_simd, vgpr_kib_per_simd;
    std::uint32_t lds_pool_kib;  ///< per CU (GCN, CDNA) or per WGP (RDNA)
    std::uint32_t lds_workgroup_kib;
    std::uint32_t fp64, fp32, fp16, fp16_matrix, int8_matrix, bf16_matrix,
        fp8_matrix;  ///< FLOP or OP per CU and clock, dense; 0: none or not settled
    constexpr std::uint32_t wave() const { return rdna ? 32 : 64; }
};

inline constexpr architecture architectures[] = {
#include <fade/device/truth/architectures.inc>
};

inline const architecture* find_architecture(std::string_view gfx) {
    for (const architecture& a : architectures)
        if (a.gfx == gfx) return &a;
    return nullptr;
}

/// gfx_target_version is decimal major*10000 + minor*100 + step; the name prints minor and step in
/// hexadecimal. Empty where it cannot be one.
inline std::string gfx_name(std::uint64_t version) {
    const std::uint64_t major = version / 10000, minor = version / 100 % 100, step = version % 100;
    constexpr std::string_view digits = "0123456789abcdef";
    if (major < 6 || major > 99 || minor > 15 || step > 15) return {};
    return "gfx" + std::to_string(major) + digits[minor] + digits[step];
}

/// gfx90a:sramecc+:xnack- is gfx90a.
inline std::string without_features(std::string_view target) {
    return std::string(target.substr(0, target.find(':')));
}

/// Does a name such as gfx942 agree with the major and minor version of the runtime (9, 4)?
inline bool has_version(std::string_view gfx, std::uint64_t major, std::uint64_t minor) {
    constexpr std::string_view digits = "0123456789abcdef";
    return minor < 16 && gfx.size() > 5 && gfx.substr(3, gfx.size() - 5) == std::to_string(major) &&
           gfx[gfx.size() - 2] == digits[minor];
}

}  // namespace FADE_NAMESPACE::truth

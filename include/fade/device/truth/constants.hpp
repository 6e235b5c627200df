// Traits that follow from the architecture alone.
#pragma once
#include <fade/device/truth/identity.hpp>
#include <fade/device/truth/traits.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

namespace detail {

/// A constant of the architecture, or of all architectures that are still possible.
template <class F>
count constant(const identity& id, const number& reported, const char* why, F f) {
    if (const architecture* a = id.arch()) {
        const std::uint64_t value = f(*a);
        return known<std::uint64_t>(value, "architecture table",
                                    reported && *reported != value ? why : "fixed by the architecture",
                                    reported);
    }
    const auto of = [&](const candidate& c) { return std::uint64_t(f(*c.arch)); };
    if (!id.gfx)
        if (const auto n = id.products.agreed(of))
            return known<std::uint64_t>(n, product_table, "by elimination: every product that fits has it",
                                        reported);
    return unknown(id.gfx ? "no constants are known for " + *id.gfx
                          : "the architecture is unknown: " + id.gfx.why,
                   reported);
}

inline list widths(const identity& id) {
    const architecture* a = id.arch();
    const bool wide = a ? !a->rdna : id.products.all([](const candidate& c) { return !c.arch->rdna; });
    const bool pairs = a ? a->rdna : id.products.all([](const candidate& c) { return c.arch->rdna; });
    using widths = std::vector<std::uint64_t>;
    if (id.gfx && !a) return unknown<widths>("no constants are known for " + *id.gfx);
    if (wide) return known<widths>({64}, "architecture table", "GCN and CDNA have waves of 64 alone");
    if (pairs)
        return known<widths>({32, 64}, "architecture table",
                             "chosen per kernel when it is compiled, never at run time");
    return unknown<widths>("the architecture is unknown: " + id.gfx.why);
}

/// A pool that only one of the two families has.
inline count pool(const identity& id, bool of_rdna, const char* other) {
    const auto has = [&](const architecture& a) { return a.rdna == of_rdna; };
    const bool none =
        id.arch() ? !has(*id.arch()) : id.products.all([&](const candidate& c) { return !has(*c.arch); });
    if (none) return unknown<std::uint64_t>(other);
    return constant(id, {}, "",
                    [&](const architecture& a) { return has(a) ? std::uint64_t(a.lds_pool_kib) * 1024 : 0; });
}

}  // namespace detail

inline void add_constants(device_traits& t, const readings& r, const identity& id) {
    const auto kernel_simds = r.kernel.simd_per_cu   ? r.kernel.simd_per_cu
                              : r.agent.simds_per_cu ? r.agent.simds_per_cu
                                                     : r.management.simd_per_cu;
    const number wave = r.runtime.warp_size      ? r.runtime.warp_size
                        : r.framework.warp_size  ? r.framework.warp_size
                        : r.agent.wavefront_size ? r.agent.wavefront_size
                                                 : r.kernel.wave_front_size;
    t.simd_per_cu =
        detail::constant(id, kernel_simds, "kernels of 2020 and 2021 reported 4 SIMDs per CU on RDNA",
                         [](const architecture& a) { return a.simd_per_cu; });
    t.max_waves_per_simd = detail::constant(id, r.kernel.max_waves_per_simd, "the hardware's",
                                            [](const architecture& a) { return a.waves_per_simd; });
    t.wavefront_native = detail::constant(
        id, wave, "lanes issued in one pass; the width of a compiled kernel is never changed",
        [](const architecture& a) { return a.wave(); });
    t.wavefront_supported = detail::widths(id);
    t.lds_per_cu_bytes = detail::pool(id, false, "on RDNA the pool belongs to a work-group processor");
    t.lds_per_wgp_bytes = detail::pool(id, true, "on GCN and CDNA the pool belongs to a CU");
    t.lds_per_workgroup_bytes =
        detail::constant(id, r.runtime.shared_per_block,
                         "the most that one workgroup may own (ROCm#3403 for RDNA, 160 KiB on gfx950)",
                         [](const architecture& a) { return a.lds_workgroup_kib * 1024; });
    t.vgpr_bytes_per_simd =
        detail::constant(id, {}, "", [](const architecture& a) { return a.vgpr_kib_per_simd * 1024; });
}

}  // namespace FADE_NAMESPACE::truth

// Does a product contradict what was read? Readings are compared with what the silicon and its harvest fix,
// with an allowance for each misreport that is known.
#pragma once
#include <algorithm>
#include <fade/device/truth/facts.hpp>
#include <fade/device/truth/product.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

/// A product, or one partition of it.
struct candidate {
    const truth::product* product;
    const truth::chip* chip;
    const truth::architecture* arch;
    std::uint32_t parts = 1;
    std::uint32_t fused = 0;  ///< CUs that the processor's name fixes, where the product has several counts

    std::uint64_t cus() const { return fused ? fused : product->cus / parts; }
    std::uint64_t xccs() const { return product->xccs / parts; }
    /// Of all dies; 0 where it is not settled.
    std::uint64_t l2_bytes() const {
        const std::uint64_t kib = product->l2_kib ? product->l2_kib : chip->l2_kib;
        return kib == not_settled ? 0 : kib * xccs() * 1024;
    }
    std::uint64_t engines() const { return product->engines_known ? chip->engines * xccs() : 0; }
    bool has_partitions() const { return product->xccs > 1; }
    std::string partition() const {
        if (!has_partitions()) return {};
        return parts == 1 ? "SPX" : xccs() == 1 ? "CPX" : parts == 2 ? "DPX" : parts == 3 ? "TPX" : "QPX";
    }
};

/// gfx940 and gfx941 are early steppings of gfx942: other code objects, one silicon.
constexpr std::string_view silicon_of(std::string_view gfx) {
    return gfx == "gfx940" || gfx == "gfx941" ? "gfx942" : gfx;
}

namespace detail {

inline bool may_be_old_apu(const candidate& c) { return c.arch->gfx == "gfx902" || c.arch->gfx == "gfx90c"; }

/// Old kernels take the CUs of Raven and Renoir from a firmware table, not from the fuses: 11 or 27 instead
/// of fewer (ROCm#934, #1769, #1378).
inline bool overcounted(const candidate& c, std::uint64_t n) {
    return may_be_old_apu(c) && n > c.cus() && n <= 27;
}

inline bool fits_units(const candidate& c, const claim& said) {
    if (said.source != std::string_view("drm") && overcounted(c, said.value)) return true;
    return c.cus() == 0 ? c.chip->sells(said.value) : said.value == c.cus();
}

/// The runtime counts CUs as the kernel does, or WGPs of two, or (for cooperative launches on gfx90a) fewer
/// (ROCR amd_gpu_agent.cpp).
inline bool fits_multiprocessors(const candidate& c, std::uint64_t n) {
    if (overcounted(c, n)) return true;
    if (c.cus() == 0) return c.chip->sells(n) || (c.arch->rdna && c.chip->sells(n * 2));
    if (c.arch->gfx == "gfx90a" && n == (c.cus() & ~7ull) - 8) return true;
    return n == c.cus() || (c.arch->rdna && n * 2 == c.cus());
}

inline bool fits_waves(const candidate& c, std::uint64_t per_unit) {
    const std::uint64_t right = std::uint64_t(c.arch->simd_per_cu) * c.arch->waves_per_simd;
    return per_unit == right || (c.arch->rdna && per_unit == 2 * right) ||
           (c.arch->gfx == "gfx902" && per_unit == 160);
}

/// Error correction in GDDR6 takes a sixteenth, firmware and page tables a little more: no driver reports
/// less.
inline bool fits_memory(const candidate& c, const claim& said) {
    if (c.chip->apu || c.has_partitions() || c.product->memory_gib == 0) return true;
    const std::uint64_t full = std::uint64_t(c.product->memory_gib) << 30;
    return said.value <= full && said.value >= full / 10 * 9;
}

inline bool fits_l3(const candidate& c, std::uint64_t bytes) {
    return bytes == 0 || c.product->l3_mib == not_settled || c.has_partitions() ||
           bytes == std::uint64_t(c.product->l3_mib) << 20;
}

/// GDDR6 packages hold 1 or 2 GiB and have 32 bits; boards with twice as much carry two to a channel. 0 where
/// the memory's size leaves several numbers of channels.
inline std::uint64_t channels_by_size(const chip& c, std::uint64_t bytes) {
    const std::uint64_t gib = (bytes + (std::uint64_t(1) << 30) - 1) >> 30;
    for (const bool pairs : {false, true}) {
        std::uint64_t found = 0;
        for (std::uint64_t n = c.channels / 2; n <= c.channels; ++n)
            for (const std::uint64_t each : {1u, 2u})
                if (n * each * (pairs ? 2 : 1) == gib) found = found ? ~std::uint64_t(0) : n;
        if (found) return found == ~std::uint64_t(0) ? 0 : found;
    }
    return 0;
}

/// Memory channels that work; 0 where no source tells. Each carries its share of the memory-side cache.
inline std::uint64_t channels_of(const chip& c, const facts& f) {
    const std::uint64_t n = f.bus ? f.bus->value / 32 : 0;
    return f.bus && f.bus->value % 32 == 0 && n <= c.channels ? n : 0;
}
inline bool fits_bus(const candidate& c, const facts& f) {
    const std::uint64_t n = channels_of(*c.chip, f);
    return n == 0 || c.product->l3_mib == not_settled ||
           std::uint64_t(c.product->l3_mib) * c.chip->channels == c.chip->l3_mib * n;
}

/// Arrays and places for CUs, which harvesting does not change: an array has 9 places in gfx950, 10 in
/// gfx942.
inline bool fits_slots(const candidate& c, const facts& f) {
    if (may_be_old_apu(c)) return !f.slots || *f.slots <= 32;
    if (c.chip->cu_slots && f.slots_per_array && *f.slots_per_array != c.chip->cu_slots) return false;
    const std::uint64_t whole = std::uint64_t(c.chip->engines) * c.chip->arrays;
    if (whole && f.all_arrays)
        return *f.all_arrays == whole * c.xccs() ||
               (f.arrays_of_package && *f.all_arrays == whole * c.product->xccs);
    return !f.slots || *f.slots <= 2 * std::uint64_t(c.chip->max_cus);
}

inline bool fits_runtime(const candidate& c, const facts& f) {
    return f.overridden || !f.major || !f.minor || has_version(c.arch->gfx, *f.major, *f.minor);
}

inline bool fits_counts(const candidate& c, const facts& f) {
    for (const claim& said : f.units)
        if (!fits_units(c, said)) return false;
    if (f.simds && !fits_units(c, {*f.simds / c.arch->simd_per_cu, "kfd"})) return false;
    if (f.multiprocessors && !f.masked && !f.cooperative &&
        !fits_multiprocessors(c, f.multiprocessors->value))
        return false;
    if (f.xccs && f.xccs->value != c.xccs()) return false;
    return f.partition.empty() || !c.has_partitions() || f.partition == c.partition();
}

inline bool fits_shape(const candidate& c, const facts& f) {
    if (f.wave && f.wave->value != c.arch->wave()) return false;
    if (f.waves_per_unit && !fits_waves(c, f.waves_per_unit->value)) return false;
    if (f.apu && !c.chip->apu) return false;
    if (f.carve_out && c.has_partitions()) return false;  // MI300A has no carve-out
    return f.l3.empty() || fits_l3(c, f.l3.front().value);
}

/// What a board varies: boards with other memory than the table's appear long after their chip.
inline bool fits_board(const candidate& c, const facts& f) {
    return (!f.memory || f.memory->value == 0 || fits_memory(c, *f.memory)) && fits_bus(c, f);
}

inline bool fits_chip(const candidate& c, const facts& f) {
    return fits_counts(c, f) && fits_shape(c, f) && fits_slots(c, f);
}

/// The L2 of the product; or no entry, or that of one of its dies. A cut has no more than the chip.
inline bool fits_l2(const candidate& c, std::uint64_t bytes) {
    const std::uint64_t own = c.l2_bytes(), whole = std::uint64_t(c.chip->l2_kib) * 1024 * c.xccs();
    if (whole && own == 0 && bytes > whole) return false;
    return own == 0 || bytes == 0 || bytes == own || (c.xccs() > 1 && bytes * c.xccs() == own);
}

/// Engines as printed may count arrays, or one die; old APUs have any number.
inline bool fits_engines(const candidate& c, std::uint64_t printed) {
    const std::uint64_t own = c.engines();
    return own == 0 || may_be_old_apu(c) || printed == own || printed == own * c.chip->arrays ||
           printed == c.chip->engines;
}

inline bool fits_arrays(const candidate& c, std::uint64_t printed) {
    return c.chip->arrays == 0 || may_be_old_apu(c) || printed == c.chip->arrays;
}

/// What a chip has whatever product it is in. Asked where only a name, which can be set, says which chip it
/// is.
inline bool fits_silicon(const candidate& c, const facts& f) {
    return std::ranges::all_of(f.l2, [&](const claim& said) { return fits_l2(c, said.value); }) &&
           std::ranges::all_of(f.engines, [&](const claim& said) { return fits_engines(c, said.value); }) &&
           std::ranges::all_of(f.arrays, [&](const claim& said) { return fits_arrays(c, said.value); });
}

}  // namespace detail
}  // namespace FADE_NAMESPACE::truth

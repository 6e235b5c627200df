// Engines, compute dies, partitions and the package around them.
#pragma once
#include <fade/device/truth/units.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

inline std::uint64_t engines_by_table(const identity& id) {
    return id.products.agreed([](const candidate& c) { return c.engines(); });
}

inline std::uint64_t arrays_by_table(const identity& id) {
    return id.products.agreed([](const candidate& c) { return c.chip->arrays; });
}

/// Kernels and tools count engines and arrays of Raven and Renoir wrongly (ROCm#1769).
inline bool of_old_apu(const identity& id) { return id.products.all(may_be_old_apu); }

/// Multi-die architectures; on all others a device has one compute die.
inline bool has_dies(std::string_view gfx) { return gfx.starts_with("gfx94") || gfx.starts_with("gfx95"); }

inline bool sane_engines(std::uint64_t n) { return n >= 1 && n <= 64; }

}  // namespace detail

inline count compute_dies(const facts& f, const identity& id) {
    const number reported = f.xccs ? number(f.xccs->value) : number();
    if (reported && *reported >= 1 && *reported <= 16)
        return known<std::uint64_t>(*reported, f.xccs->source, "dies of this device or partition", reported);
    if (id.gfx && id.arch() && !detail::has_dies(*id.gfx))
        return known<std::uint64_t>(1, "architecture table", *id.gfx + " has one compute die", reported);
    if (const auto n = id.products.agreed([](const candidate& c) { return c.xccs(); }))
        return known<std::uint64_t>(n, product_table,
                                    "all products that fit have so many: " + detail::names_of(id.products),
                                    reported);
    return unknown(detail::undecided(id), reported);
}

/// Engines as the kernel counts them; rocminfo of old prints arrays under the same name (ROCm#1779).
inline count shader_engines(const facts& f, const identity& id) {
    const number reported = f.engines.empty() ? number() : number(f.engines.front().value);
    const std::uint64_t table = detail::engines_by_table(id), arrays = detail::arrays_by_table(id);
    for (const claim& c : f.engines) {
        const bool trusted = c.source != std::string_view("rocminfo");
        if (table ? c.value == table : trusted && id.gfx && detail::sane_engines(c.value))
            return known<std::uint64_t>(c.value, c.source, "counted by this source", reported);
    }
    const bool counts_arrays = reported && *reported == table * arrays;
    if (table && (!reported || counts_arrays || detail::of_old_apu(id)))
        return known<std::uint64_t>(table, product_table,
                                    counts_arrays ? "shader arrays were reported under the name of engines"
                                                  : "the chip's, which harvesting does not change",
                                    reported);
    if (table) return unknown("the products that fit have " + std::to_string(table), reported);
    if (reported) return unknown("the count may be of shader arrays, and the chip is not settled", reported);
    return unknown<std::uint64_t>(detail::undecided(id));
}

inline count shader_arrays(const facts& f, const identity& id) {
    const number reported = f.arrays.empty() ? number() : number(f.arrays.front().value);
    const std::uint64_t table = detail::arrays_by_table(id);
    for (const claim& c : f.arrays)
        if (table ? c.value == table : id.gfx && c.value >= 1 && c.value <= 4)
            return known<std::uint64_t>(c.value, c.source, "counted by this source", reported);
    if (table && (!reported || detail::of_old_apu(id)))
        return known<std::uint64_t>(table, product_table, "the chip's", reported);
    if (table) return unknown("the products that fit have " + std::to_string(table), reported);
    return unknown(detail::undecided(id), reported);
}

inline text partition_mode(const facts& f, const identity& id) {
    const word reported = f.partition.empty() ? word() : word(f.partition);
    if (id.gfx && id.arch() && !detail::has_dies(*id.gfx))
        return unknown<std::string>(*id.gfx + " has no partition modes", reported);
    if (reported) return known<std::string>(*reported, "sysfs", "current_compute_partition", reported);
    const std::string table = id.products.agreed([](const candidate& c) { return c.partition(); });
    if (!table.empty())
        return known<std::string>(table, "derived", "its share of the package's CUs and dies");
    return unknown<std::string>(detail::undecided(id));
}

namespace detail {

template <class F>
count of_package(const identity& id, const char* why, F f) {
    const auto n = id.products.unlisted
                       ? 0
                       : id.products.agreed([&](const candidate& c) { return std::uint64_t(f(c)); });
    if (n) return known<std::uint64_t>(n, product_table, why);
    const bool single =
        id.products.all([](const candidate& c) { return c.product->dies == 1 && !c.has_partitions(); });
    return unknown<std::uint64_t>(single ? "the device is the whole package" : undecided(id));
}

}  // namespace detail

inline count package_units(const identity& id) {
    return detail::of_package(id, "CUs of the package that this device is part of", [](const candidate& c) {
        return c.product->dies > 1 || c.parts > 1 ? c.product->cus * c.product->dies : 0;
    });
}
inline count package_dies(const identity& id) {
    return detail::of_package(id, "compute dies of the package that this partition is part of",
                              [](const candidate& c) { return c.parts > 1 ? c.product->xccs : 0; });
}
inline count devices_of_package(const identity& id) {
    return detail::of_package(id, "devices that the package is seen as", [](const candidate& c) {
        return c.product->dies > 1 ? c.product->dies : c.parts > 1 ? c.parts : 0;
    });
}

}  // namespace FADE_NAMESPACE::truth

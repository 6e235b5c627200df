// Which products a device can be: those of the table that contradict nothing that was reported.
#pragma once
#include <algorithm>
#include <cctype>
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

    std::uint64_t cus() const { return product->cus / parts; }
    std::uint64_t xccs() const { return product->xccs / parts; }
    std::uint64_t l2_bytes() const {
        return std::uint64_t(product->l2_kib ? product->l2_kib : chip->l2_kib) * xccs() * 1024;
    }
    std::uint64_t engines() const { return product->engines_known ? chip->engines * xccs() : 0; }
    bool has_partitions() const { return product->xccs > 1; }
    std::string partition() const {
        if (!has_partitions()) return {};
        return parts == 1 ? "SPX" : xccs() == 1 ? "CPX" : parts == 2 ? "DPX" : parts == 3 ? "TPX" : "QPX";
    }
};

struct candidates {
    std::vector<candidate> rows;
    bool by_device = false;  ///< the PCI device id is in the table
    bool unlisted = false;   ///< the id is, its revision is not: the product may be none of the rows

    template <class F>
    bool all(F f) const {
        return !rows.empty() && std::ranges::all_of(rows, f);
    }
    /// f of the rows where all agree and none is zero (not settled); else 0 of its type.
    template <class F>
    auto agreed(F f) const {
        using value = std::decay_t<decltype(f(rows.front()))>;
        if (rows.empty()) return value{};
        const value first = f(rows.front());
        return all([&](const candidate& c) { return f(c) == first; }) ? first : value{};
    }
};

namespace detail {

/// "AMD Radeon RX 6800 XT" and "Radeon RX 6800 XT" are one name.
inline std::string plain(std::string_view name) {
    std::string out;
    for (char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += char(std::tolower(static_cast<unsigned char>(c)));
    for (const char* noise : {"amd", "graphics"})
        if (const auto at = out.find(noise); at != std::string::npos)
            out.erase(at, std::string_view(noise).size());
    return out;
}

/// Is a plain name that of a product? Lengths are compared first, for most names differ.
inline bool is_name(const std::string& plain_name, std::string_view of) {
    return plain_name.size() <= of.size() && plain_name == plain(of);
}

inline bool may_be_old_apu(const candidate& c) { return c.arch->gfx == "gfx902" || c.arch->gfx == "gfx90c"; }

/// Old kernels take the CUs of Raven and Renoir from a firmware table, not from the fuses: 11 or 27 instead
/// of fewer (ROCm#934, #1769, #1378).
inline bool overcounted(const candidate& c, std::uint64_t n) {
    return may_be_old_apu(c) && n > c.cus() && n <= 27;
}

inline bool fits_units(const candidate& c, const claim& said) {
    if (said.source != std::string_view("drm") && overcounted(c, said.value)) return true;
    return c.product->cus == 0 ? c.chip->sells(said.value) : said.value == c.cus();
}

/// The runtime counts CUs as the kernel does, or WGPs of two, or (for cooperative launches on gfx90a) fewer
/// (ROCR amd_gpu_agent.cpp).
inline bool fits_multiprocessors(const candidate& c, std::uint64_t n) {
    if (overcounted(c, n)) return true;
    if (c.product->cus == 0) return c.chip->sells(n) || (c.arch->rdna && c.chip->sells(n * 2));
    if (c.arch->gfx == "gfx90a" && n == (c.cus() & ~7ull) - 8) return true;
    return n == c.cus() || (c.arch->rdna && n * 2 == c.cus());
}

inline bool fits_waves(const candidate& c, std::uint64_t per_unit) {
    const std::uint64_t right = std::uint64_t(c.arch->simd_per_cu) * c.arch->waves_per_simd;
    return per_unit == right || (c.arch->rdna && per_unit == 2 * right) ||
           (c.arch->gfx == "gfx902" && per_unit == 160);
}

inline bool fits_memory(const candidate& c, const claim& said) {
    if (c.chip->apu || c.has_partitions() || c.product->memory_gib == 0) return true;
    const std::uint64_t full = std::uint64_t(c.product->memory_gib) << 30;
    return said.value <= full && said.value >= full / 10 * 7;
}

inline bool fits_l3(const candidate& c, std::uint64_t bytes) {
    return c.product->l3_mib == not_settled || c.has_partitions() ||
           bytes == std::uint64_t(c.product->l3_mib) << 20;
}

inline bool fits_runtime(const candidate& c, const facts& f) {
    if (f.overridden) return true;
    return !f.major || !f.minor || has_version(c.arch->gfx, *f.major, *f.minor);
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
    if (f.memory && !fits_memory(c, *f.memory)) return false;
    return f.l3.empty() || fits_l3(c, f.l3.front().value);
}

inline bool fits(const candidate& c, const facts& f) {
    return fits_runtime(c, f) && fits_counts(c, f) && fits_shape(c, f);
}

/// All partitions of a product: 1, 2, 3, 4 or 8 where they divide its dies.
inline void add_partitions(std::vector<candidate>& to, const product& p) {
    const chip& c = chip_of(p);
    const architecture* a = find_architecture(c.gfx);
    for (std::uint32_t parts : {1u, 2u, 3u, 4u, 6u, 8u})
        if (parts <= p.xccs && p.xccs % parts == 0) to.push_back({&p, &c, a, parts});
}

template <class F>
void keep_if_any(std::vector<candidate>& rows, F f) {
    std::vector<candidate> kept;
    std::ranges::copy_if(rows, std::back_inserter(kept), f);
    if (!kept.empty()) rows = std::move(kept);
}

/// Do all marketing names that were reported say the same?
inline bool one_name(const facts& f) {
    return !f.names.empty() && std::ranges::all_of(f.names, [&](const named& n) {
        return plain(n.value) == plain(f.names.front().value);
    });
}

/// The runtime's name is the id table's row for the revision, so it stands for the revision where that is
/// missing.
inline bool has_name(const candidate& c, const facts& f) {
    return std::ranges::any_of(f.names,
                               [&](const named& n) { return is_name(plain(n.value), c.product->name); });
}

/// The products of a device id, of its revision where the table has that.
inline void add_by_device(candidates& out, const facts& f) {
    const std::uint64_t rev = f.revision ? f.revision->value : any_revision;
    const auto add = [&](bool every) {
        for (const product_id& id : product_ids)
            if (id.device == f.device->value &&
                (every || id.revision == rev || id.revision == any_revision)) {
                const product* p = row_named(products, id.product);
                if (std::ranges::none_of(out.rows, [&](const candidate& c) { return c.product == p; }))
                    add_partitions(out.rows, *p);
            }
    };
    add(!f.revision);
    if (out.rows.empty()) add(true), out.unlisted = !out.rows.empty();
    out.by_device = !out.rows.empty();
}

/// A board's subsystem id names the product where several share a device id. Macs' own products bear Apple's
/// (0x106b).
inline void narrow_by_board(candidates& out, const facts& f) {
    if (!f.board) return;
    if (f.board->value >> 16 != 0x106b)
        keep_if_any(out.rows, [](const candidate& c) { return c.product->name != "Radeon Pro 5500M"; });
    for (const board& b : boards)
        if (b.device == f.device->value && (std::uint64_t(b.vendor) << 16 | b.id) == f.board->value)
            keep_if_any(out.rows, [&](const candidate& c) { return c.product->name == b.product; });
}

/// Every product; of chips with settled products only those.
inline void add_all(candidates& out) {
    for (const product& p : products)
        if (p.cus != 0 || !facts_of(p).chip_settled) add_partitions(out.rows, p);
}

/// The driver's clock is the product's own where one die is sold with several: it tells an 8060S (2900 MHz)
/// from an 8050S (2800 MHz).
inline void narrow_by_clock(candidates& out, const facts& f) {
    const bool one_chip = !out.agreed([](const candidate& c) { return c.chip->name; }).empty();
    if (f.clock && one_chip && !out.unlisted)
        keep_if_any(out.rows, [&](const candidate& c) { return c.product->rated_mhz == f.clock->value; });
}

}  // namespace detail

/// The products that `gfx` (empty: any) and all facts leave.
inline candidates find_candidates(const facts& f, std::string_view gfx) {
    candidates out;
    if (f.device) detail::add_by_device(out, f);
    if (out.by_device)
        detail::narrow_by_board(out, f);
    else
        detail::add_all(out);
    std::erase_if(out.rows, [&](const candidate& c) {
        return !c.arch || (!gfx.empty() && c.arch->gfx != gfx) || !detail::fits(c, f);
    });
    if (!f.revision && detail::one_name(f))
        detail::keep_if_any(out.rows, [&](const candidate& c) { return detail::has_name(c, f); });
    detail::narrow_by_clock(out, f);
    return out;
}

}  // namespace FADE_NAMESPACE::truth

// Which products a device can be: those of the table that contradict nothing that was reported.
#pragma once
#include <algorithm>
#include <cctype>
#include <fade/device/truth/fits.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

/// How the architecture is known when products are looked for.
enum class known_by {
    hardware,  ///< a source that no variable changes: caches that look odd only narrow
    name,      ///< a name, which can be set: everything that was read must fit
    nothing    ///< no source names it: all products that fit
};

struct candidates {
    std::vector<candidate> rows;
    bool by_device = false;  ///< the PCI device id is in the table
    bool unlisted = false;   ///< the id or its revision is not: the product may be none of the rows

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

/// Is a plain name that of a product? Lengths are compared first, for most names differ. What the table has
/// in brackets tells chips apart that are sold under one name; "Radeon Graphics" is all integrated graphics.
inline bool is_name(const std::string& plain_name, std::string_view of) {
    of = of.substr(0, of.find(" ("));
    return plain_name.size() <= of.size() && plain_name != "radeon" && plain_name == plain(of);
}

/// The processor that a name such as "AMD Ryzen 3 2200G with Radeon Vega Graphics" is of.
inline const processor* processor_of(std::string_view name) {
    const std::string own = plain(name.substr(0, name.find(" with ")));
    for (const processor& p : processors)
        if (is_name(own, p.name)) return &p;
    return nullptr;
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

/// Every product; of chips with settled products only those, or only the others.
inline void add_all(candidates& out, bool settled = true) {
    for (const product& p : products)
        if (settled == (p.cus != 0 || !facts_of(p).chip_settled)) add_partitions(out.rows, p);
}

/// The name of a processor fixes the CUs of its graphics.
inline void narrow_by_processor(candidates& out, const facts& f) {
    for (const named& n : f.names)
        if (const processor* p = processor_of(n.value)) {
            const auto may_be = [&](const candidate& c) {
                return c.chip->name == p->chip && (c.product->cus == 0 || c.product->cus == p->cus);
            };
            if (std::ranges::none_of(out.rows, may_be)) continue;
            std::erase_if(out.rows, [&](const candidate& c) { return !may_be(c); });
            for (candidate& c : out.rows) c.fused = p->cus;
        }
}

inline void keep_fitting(candidates& out, const facts& f, std::string_view gfx, known_by how) {
    const bool whole_runtime = gfx.empty() && how == known_by::nothing;
    std::erase_if(out.rows, [&](const candidate& c) {
        return !c.arch || (!gfx.empty() && c.arch->gfx != silicon_of(gfx)) || !fits_chip(c, f) ||
               !fits_board(c, f) || (whole_runtime && !fits_runtime(c, f)) ||
               (how == known_by::name && !fits_silicon(c, f));
    });
}

/// Does a chip of the architecture fit, in whatever product?
inline bool chip_fits(const facts& f, std::string_view gfx) {
    candidates all;
    add_all(all), add_all(all, false), narrow_by_processor(all, f);
    return std::ranges::any_of(all.rows, [&](const candidate& c) {
        return c.arch && c.arch->gfx == silicon_of(gfx) && fits_chip(c, f) && fits_silicon(c, f);
    });
}

}  // namespace detail

/// The products that `gfx` (empty: any) and all facts leave. Nothing is left of elimination where the table
/// has no such device, or caches and engines contradict all that is left.
inline candidates find_candidates(const facts& f, std::string_view gfx, known_by how) {
    candidates out;
    if (f.device) detail::add_by_device(out, f);
    const bool stranger = f.device && !out.by_device;
    if (!out.by_device) detail::add_all(out);
    if (!out.by_device && how == known_by::name && gfx.empty()) detail::add_all(out, false);
    detail::narrow_by_processor(out, f);
    detail::keep_fitting(out, f, gfx, how);
    if (how == known_by::hardware)
        for (const claim& said : f.l2)
            detail::keep_if_any(out.rows, [&](const candidate& c) { return detail::fits_l2(c, said.value); });
    const auto whole = [&](const candidate& c) { return detail::fits_silicon(c, f); };
    if (gfx.empty() && (stranger || std::ranges::none_of(out.rows, whole))) out.rows.clear();
    if (!f.revision && detail::one_name(f))
        detail::keep_if_any(out.rows, [&](const candidate& c) { return detail::has_name(c, f); });
    out.unlisted = out.unlisted || stranger;
    return out;
}

}  // namespace FADE_NAMESPACE::truth

// Which architecture the chip really is, whatever name the runtime was told to show.
#pragma once
#include <fade/device/truth/candidates.hpp>
#include <fade/device/truth/field.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

struct identity {
    text gfx;
    bool by_hardware = false;  ///< from a source that no variable changes
    candidates products;       ///< what is left of the product table once the architecture is settled
    std::vector<conflict> conflicts;
    const architecture* arch() const { return gfx ? find_architecture(*gfx) : nullptr; }
};

namespace detail {

inline std::string hex(std::uint64_t v) {
    std::string out;
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[v >> shift & 15];
    return "0x" + out;
}

/// The one architecture of a device id; empty where the table has none.
inline std::string device_gfx(const facts& f) {
    std::string found;
    if (f.device)
        for (const product_id& id : product_ids)
            if (id.device == f.device->value) found = chip_of(*row_named(products, id.product)).gfx;
    return found;
}

/// The one architecture of all products that have this very name; empty for generic names, and for names of
/// products with different chips.
inline std::string name_gfx(const named& said) {
    std::string found;
    bool several = false;
    const auto add = [&](std::string_view gfx) {
        several = several || (!found.empty() && found != gfx);
        found = gfx;
    };
    const std::string name = plain(said.value);
    for (const product& p : products)
        if (p.cus != 0 && is_name(name, p.name)) add(chip_of(p).gfx);
    if (const processor* p = processor_of(said.value)) add(row_named(chips, p->chip)->gfx);
    return several ? std::string() : found;
}

/// What marketing names, which come from the PCI id, agree on.
inline std::optional<named> marketing_gfx(const facts& f) {
    std::optional<named> out;
    for (const named& n : f.names)
        if (std::string gfx = name_gfx(n); !gfx.empty()) {
            if (out && out->value != gfx) return {};
            out = named{std::move(gfx), product_table};
        }
    return out;
}

/// Kernels before 5.17 name Renoir after Raven; the device id is the newer word.
inline bool named_after_elder(const std::string& kernel, const std::string& device) {
    return kernel == "gfx902" && device == "gfx90c";
}

/// A name of the architecture that differs from what the runtime shows, and why it stands.
inline text named_by(identity& id, const facts& f, std::string gfx, std::string source, std::string why) {
    const word reported = f.runtime_gfx ? word(f.runtime_gfx->value) : word();
    if (reported && *reported != gfx) {
        const std::string spoof =
            f.overridden ? "HSA_OVERRIDE_GFX_VERSION replaces the name for every device of the process"
                         : "the name shown is another chip's";
        id.conflicts.push_back({"gfx", f.runtime_gfx->source, *reported, source, gfx, spoof});
        why = spoof + "; " + why;
    }
    return known<std::string>(std::move(gfx), std::move(source), std::move(why), reported);
}

/// Does the runtime show an early stepping of this very silicon? Its name stays: it has other code objects.
inline bool is_stepping(const facts& f, const std::string& gfx) {
    return !f.overridden && f.runtime_gfx && f.runtime_gfx->value != gfx &&
           silicon_of(f.runtime_gfx->value) == gfx;
}

/// From the kernel or the PCI id, which no variable changes; unknown where neither answers.
inline text gfx_of_hardware(identity& id, const facts& f) {
    const std::string device = device_gfx(f);
    // No architecture that is known, on a device that is.
    const bool stranger = !device.empty() && !find_architecture(f.kernel_gfx);
    const bool two_answers = !f.kernel_gfx.empty() && !device.empty() && f.kernel_gfx != device &&
                             silicon_of(f.kernel_gfx) != device;
    if (!f.kernel_gfx.empty() && !stranger && !named_after_elder(f.kernel_gfx, device)) {
        const char* why = "the kernel's own name for the chip, which no variable changes";
        if (two_answers) id.conflicts.push_back({"gfx", product_table, device, "kfd", f.kernel_gfx, why});
        return named_by(id, f, f.kernel_gfx, "kfd", why);
    }
    if (device.empty()) return {};
    if (is_stepping(f, device))
        return named_by(id, f, f.runtime_gfx->value, f.runtime_gfx->source,
                        "an early stepping of " + device + ", with code objects of its own");
    const std::string why = "PCI device " + hex(f.device->value) + " is always this architecture";
    if (two_answers) id.conflicts.push_back({"gfx", "kfd", f.kernel_gfx, product_table, device, why});
    return named_by(id, f, device, product_table, why);
}

inline std::string products_in_words(const candidates& c) {
    std::vector<std::string_view> names;
    for (const candidate& row : c.rows)
        if (std::ranges::find(names, row.product->name) == names.end()) names.push_back(row.product->name);
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < 3; ++i) out += (i ? ", " : "") + std::string(names[i]);
    return out + (names.size() > 3 ? " and " + std::to_string(names.size() - 3) + " more" : "");
}

/// What was read, as the reason why a name is doubted: "40 CUs (rocminfo), L2 3072 KiB (rocminfo)".
inline std::string readings_in_words(const facts& f) {
    std::string out;
    const auto add = [&](const std::string& words, const char* source) {
        out += (out.empty() ? "" : ", ") + words + " (" + source + ")";
    };
    if (!f.units.empty()) add(std::to_string(f.units.front().value) + " CUs", f.units.front().source);
    if (f.multiprocessors)
        add(std::to_string(f.multiprocessors->value) + " multiprocessors", f.multiprocessors->source);
    if (f.wave) add("waves of " + std::to_string(f.wave->value), f.wave->source);
    if (f.memory) add(std::to_string(f.memory->value >> 20) + " MiB of memory", f.memory->source);
    if (!f.l2.empty()) add("L2 " + std::to_string(f.l2.front().value >> 10) + " KiB", f.l2.front().source);
    if (!f.l3.empty()) add("L3 " + std::to_string(f.l3.front().value >> 20) + " MiB", f.l3.front().source);
    if (!f.engines.empty())
        add(std::to_string(f.engines.front().value) + " shader engines", f.engines.front().source);
    return out.empty() ? "what else was read" : out;
}

/// No product with the name fits. Units, memory and L2 together tell a sibling; less than that is a likeness,
/// and nothing of a chip is then said.
inline text doubted(identity& id, const facts& f, const named& claim) {
    const std::string words = readings_in_words(f);
    id.conflicts.push_back({"gfx", claim.source, claim.value, "readings", words,
                            "no product with this architecture fits what was read"});
    std::string why = "no product of " + claim.value + ", as " + claim.source + " names it, fits " + words;
    const bool whole = (!f.units.empty() || f.simds || f.multiprocessors) && f.memory && !f.l2.empty();
    id.products = find_candidates(f, {}, known_by::name);
    if (whole)
        std::erase_if(id.products.rows, [&](const candidate& c) {
            return c.l2_bytes() != f.l2.front().value || (c.product->memory_gib == 0 && !c.chip->apu);
        });
    const std::string like = std::string(id.products.agreed([](const candidate& c) { return c.arch->gfx; }));
    if (!like.empty())
        why += "; it looks like " + like + " (" + products_in_words(id.products) + "), which fits all of it";
    const std::string_view family =
        std::string_view(like).substr(0, like.size() - std::min<std::size_t>(like.size(), 2));
    if (whole && !like.empty() && claim.value.starts_with(family))
        return known<std::string>(like, "derived", why, word(claim.value));
    id.products = {};
    return unknown<std::string>(why, f.runtime_gfx ? word(f.runtime_gfx->value) : word());
}

/// From names that can be set, or stand for several products: believed where a product with it fits
/// everything.
inline text gfx_of_names(identity& id, const facts& f) {
    const word reported = f.runtime_gfx ? word(f.runtime_gfx->value) : word();
    const auto fits_all = [&](const std::string& gfx) {
        id.products = find_candidates(f, gfx, known_by::name);
        return !id.products.rows.empty() || !find_architecture(gfx) || chip_fits(f, gfx);
    };
    const auto marketing = marketing_gfx(f);
    if (marketing && reported && !f.overridden && marketing->value == *reported) {
        id.products = find_candidates(f, *reported, known_by::hardware);
        return named_by(id, f, *reported, f.runtime_gfx->source,
                        "the marketing name, which comes from the PCI id, is of a product with it");
    }
    if (marketing && !is_stepping(f, marketing->value) && fits_all(marketing->value))
        return named_by(id, f, marketing->value, product_table,
                        "the marketing name, which comes from the PCI id, is of a product with this "
                        "architecture");
    if (reported && !f.overridden && fits_all(*reported))
        return named_by(id, f, *reported, f.runtime_gfx->source,
                        "no override is set and nothing contradicts it");
    if (reported && !f.overridden) return doubted(id, f, *f.runtime_gfx);
    if (marketing) return doubted(id, f, *marketing);
    id.products = find_candidates(f, {}, known_by::nothing);
    const std::string none =
        f.overridden ? "HSA_OVERRIDE_GFX_VERSION is set and no source that it does not change answered"
                     : "no source names the architecture";
    const std::string only = std::string(id.products.agreed([](const candidate& c) { return c.arch->gfx; }));
    if (only.empty()) return unknown<std::string>(none, reported);
    return known<std::string>(only, product_table,
                              "by elimination: of all products only " + products_in_words(id.products) +
                                  " and its kin fit what was reported",
                              reported);
}

}  // namespace detail

inline identity identify(const facts& f, const user_reading& user) {
    identity id;
    if (f.foreign) {
        id.gfx = unknown<std::string>("this is no AMD device");
        return id;
    }
    id.gfx = detail::gfx_of_hardware(id, f);
    if (user.gfx) id.gfx = known<std::string>(*user.gfx, "user", "set by the user", id.gfx.reported);
    id.by_hardware = bool(id.gfx);
    if (id.by_hardware)
        id.products = find_candidates(f, *id.gfx, known_by::hardware);
    else
        id.gfx = detail::gfx_of_names(id, f);
    return id;
}

}  // namespace FADE_NAMESPACE::truth

// Which architecture the chip really is, whatever name the runtime was told to show.
#pragma once
#include <fade/device/truth/candidates.hpp>
#include <fade/device/truth/field.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

struct identity {
    text gfx;
    candidates products;  ///< what is left of the product table once the architecture is settled
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

/// The chip of the product whose very name was reported; empty for generic names. Names come from the PCI id,
/// which no override changes.
inline std::string name_gfx(const facts& f) {
    std::string found;
    for (const named& n : f.names) {
        const std::string name = plain(n.value);
        for (const product& p : products)
            if (found.empty() && p.cus != 0 && is_name(name, p.name)) found = chip_of(p).gfx;
    }
    return found;
}

/// What the topology (widths, SIMDs) says against the name the runtime shows; empty where they agree.
inline std::string objection(const facts& f) {
    const architecture* a = f.runtime_gfx ? find_architecture(f.runtime_gfx->value) : nullptr;
    if (!a) return {};
    if (f.wave && f.wave->value != a->wave())
        return f.runtime_gfx->value + " has waves of " + std::to_string(a->wave()) + ", but " +
               f.wave->source + " reports " + std::to_string(f.wave->value);
    return {};
}

/// Kernels before 5.17 name Renoir after Raven; the device id is the newer word.
inline bool named_after_elder(const std::string& kernel, const std::string& device) {
    return kernel == "gfx902" && device == "gfx90c";
}

inline text settle_gfx(const facts& f, std::vector<conflict>& conflicts) {
    if (f.foreign) return unknown<std::string>("this is no AMD device");
    const word reported = f.runtime_gfx ? word(f.runtime_gfx->value) : word();
    const std::string device = device_gfx(f), name = name_gfx(f), against = objection(f);
    const std::string spoof =
        f.overridden ? "HSA_OVERRIDE_GFX_VERSION replaces the name for every device of the process"
                     : "the name shown is another chip's";
    const auto answer = [&](std::string gfx, std::string source, std::string why) {
        if (reported && *reported != gfx)
            conflicts.push_back({"gfx", f.runtime_gfx->source, *reported, source, gfx, spoof});
        return known<std::string>(std::move(gfx), std::move(source),
                                  (reported && *reported != gfx ? spoof + "; " : "") + why, reported);
    };
    const bool stranger =
        !device.empty() &&
        !find_architecture(f.kernel_gfx);  // no architecture that is known, on a device that is
    if (!f.kernel_gfx.empty() && !stranger && !named_after_elder(f.kernel_gfx, device))
        return answer(f.kernel_gfx, "kfd", "the kernel's own name for the chip, which no variable changes");
    if (!device.empty())
        return answer(device, product_table,
                      "PCI device " + hex(f.device->value) + " is always this architecture");
    if (!name.empty() && reported && name != *reported)
        return answer(
            name, product_table,
            "the marketing name, which comes from the PCI id, is of a product with this architecture");
    if (reported && !f.overridden && against.empty())
        return answer(*reported, f.runtime_gfx->source, "no override is set and nothing contradicts it");
    if (!name.empty())
        return answer(name, product_table, "the marketing name is of a product with this architecture");
    if (!against.empty()) return unknown<std::string>("the reported name cannot be: " + against, reported);
    if (f.overridden)
        return unknown<std::string>(
            "HSA_OVERRIDE_GFX_VERSION is set and no source that it does not change answered", reported);
    return unknown<std::string>("no source names the architecture");
}

}  // namespace detail

inline identity identify(const facts& f, const user_reading& user) {
    identity id;
    id.gfx = detail::settle_gfx(f, id.conflicts);
    if (user.gfx) id.gfx = known<std::string>(*user.gfx, "user", "set by the user", id.gfx.reported);
    if (!f.foreign) id.products = find_candidates(f, id.gfx ? std::string_view(*id.gfx) : std::string_view());
    if (!id.gfx) {
        const auto gfx = id.products.agreed([](const candidate& c) { return c.arch->gfx; });
        if (!gfx.empty())
            id.gfx = known<std::string>(std::string(gfx), product_table,
                                        "by elimination: of all products only " +
                                            std::string(id.products.rows.front().product->name) +
                                            " and its kin fit what was reported",
                                        id.gfx.reported);
    }
    return id;
}

}  // namespace FADE_NAMESPACE::truth

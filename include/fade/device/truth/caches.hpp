// L2 of all dies of the device, and the memory-side cache behind it.
#pragma once
#include <fade/device/truth/layout.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

inline bool sane_l2(std::uint64_t bytes) { return bytes >= 65536 && bytes <= (std::uint64_t(64) << 20); }

inline std::uint64_t l2_by_table(const identity& id) {
    return id.products.agreed([](const candidate& c) { return c.l2_bytes(); });
}

/// How a figure that is known to go wrong became of the true one; empty where it is none of those.
inline std::string known_misreport(std::uint64_t reported, std::uint64_t true_bytes, const identity& id,
                                   const count& xccs) {
    if (reported == 0) return "the runtime found no cache entry";
    if (xccs && *xccs > 1 && reported * *xccs == true_bytes)
        return "the cache of one die was reported for all of them";
    if (reported == 2 * true_bytes && id.gfx && *id.gfx == "gfx906")
        return "kernels count the cache of Vega 20 twice (ROCm#6138)";
    return {};
}

/// May a figure be the L2 of one of the products that are left, or of a chip of the architecture where none
/// is?
inline bool l2_of_a_row(const identity& id, std::uint64_t bytes) {
    const auto of = [&](std::uint64_t own) { return own == bytes || (own == 0 && sane_l2(bytes)); };
    if (!id.products.rows.empty())
        return std::ranges::any_of(id.products.rows, [&](const candidate& c) { return of(c.l2_bytes()); });
    return id.gfx && std::ranges::any_of(chips, [&](const chip& c) {
               return c.gfx == silicon_of(*id.gfx) && of(std::uint64_t(c.l2_kib) * 1024);
           });
}

inline count l2_of_table(const facts& f, const identity& id, const count& xccs, std::uint64_t table) {
    const number reported = f.l2.empty() ? number() : number(f.l2.front().value);
    for (const claim& c : f.l2)
        if (c.value == table) return known<std::uint64_t>(table, c.source, "as the chip has", reported);
    std::string why = "all products that fit have it";
    for (const claim& c : f.l2) {
        why = known_misreport(c.value, table, id, xccs);
        if (why.empty())
            return unknown("the products that fit have " + std::to_string(table >> 10) +
                               " KiB, and what was reported is no misreport that is known",
                           reported);
    }
    return known<std::uint64_t>(table, product_table, why, reported);
}

}  // namespace detail

inline count level_2(const readings& r, const facts& f, const identity& id, const count& xccs) {
    const number reported = f.l2.empty() ? number() : number(f.l2.front().value);
    if (r.user.l2_bytes) return known<std::uint64_t>(*r.user.l2_bytes, "user", "set by the user", reported);
    if (const std::uint64_t table = detail::l2_by_table(id)) return detail::l2_of_table(f, id, xccs, table);
    const bool dies = !id.gfx || detail::has_dies(*id.gfx);
    for (const claim& c : f.l2)
        if (!dies && detail::sane_l2(c.value) && detail::l2_of_a_row(id, c.value))
            return known<std::uint64_t>(c.value, c.source, "stated by this source", reported);
    return unknown(reported ? "the figure reported is not to be trusted (caches of one die, or none), and "
                              "no product that fits has it"
                            : detail::undecided(id),
                   reported);
}

namespace detail {

/// Of the product, or of the memory channels that work; 0 where neither is settled.
inline std::uint64_t l3_bytes(const candidate& c, const facts& f, bool by_device) {
    if (c.product->l3_mib != not_settled) return std::uint64_t(c.product->l3_mib) << 20;
    std::uint64_t n = channels_of(*c.chip, f);
    if (n == 0 && by_device && c.chip->memory == memory_kind::gddr6 && f.memory)
        n = channels_by_size(*c.chip, f.memory->value);
    return n && c.chip->channels ? (std::uint64_t(c.chip->l3_mib) << 20) * n / c.chip->channels : 0;
}

inline std::uint64_t l3_by_table(const identity& id, const facts& f) {
    const auto of = [&](const candidate& c) { return l3_bytes(c, f, id.products.by_device); };
    return id.products.unlisted ? 0 : id.products.agreed(of);
}

inline bool no_l3(const identity& id) {
    return id.products.all([](const candidate& c) { return c.product->l3_mib == 0; });
}

}  // namespace detail

inline count level_3(const facts& f, const identity& id) {
    const number reported = f.l3.empty() ? number() : number(f.l3.front().value);
    if (detail::no_l3(id)) return unknown("this chip has no memory-side cache", reported);
    if (id.products.all([](const candidate& c) { return c.parts > 1; }))
        return unknown("the memory-side cache belongs to the package, not to a partition", reported);
    const bool split = std::ranges::any_of(id.products.rows, [](const candidate& c) { return c.parts > 1; });
    if (const std::uint64_t table = split ? 0 : detail::l3_by_table(id, f)) {
        for (const claim& c : f.l3)
            if (c.value == table)
                return known<std::uint64_t>(table, c.source, "as the product has", reported);
        if (!reported || *reported == 0)
            return known<std::uint64_t>(table, product_table, "all products that fit have it", reported);
        return unknown("the products that fit have " + std::to_string(table >> 20) + " MiB", reported);
    }
    if (reported && *reported > 0 && !split && id.gfx)
        return known<std::uint64_t>(*reported, f.l3.front().source, "stated by this source", reported);
    return unknown(detail::undecided(id), reported);
}

inline count level_3_of_package(const facts& f, const identity& id) {
    if (!id.products.all([](const candidate& c) { return c.parts > 1; }))
        return unknown<std::uint64_t>("the device is not known to be a partition");
    if (const std::uint64_t table = detail::l3_by_table(id, f))
        return known<std::uint64_t>(table, product_table, "shared by all partitions of the package");
    return unknown<std::uint64_t>(detail::undecided(id));
}

}  // namespace FADE_NAMESPACE::truth

// L2 of all dies of the device, and the memory-side cache behind it.
#pragma once
#include <fade/device/truth/layout.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

inline bool sane_l2(std::uint64_t bytes) { return bytes >= 65536 && bytes <= (std::uint64_t(64) << 20); }

inline std::uint64_t l2_by_table(const identity& id, const count& xccs) {
    const auto rows = id.products.agreed([](const candidate& c) { return c.l2_bytes(); });
    if (rows || !id.products.rows.empty()) return rows;
    return agreed_by_chip(id, [](const chip& c) { return std::uint64_t(c.l2_kib) * 1024; }) *
           (xccs ? *xccs : 0);
}

inline const char* wrong_l2(std::uint64_t reported, std::uint64_t true_bytes, const count& xccs) {
    if (reported == 0) return "the runtime found no cache entry";
    if (xccs && *xccs > 1 && reported * *xccs == true_bytes)
        return "the cache of one die was reported for all of them";
    if (reported == 2 * true_bytes) return "the cache was counted twice";
    return "the figure reported is another chip's";
}

/// May a reported figure be the L2 of one of the products that are left?
inline bool l2_of_a_row(const identity& id, std::uint64_t bytes) {
    return std::ranges::any_of(id.products.rows, [&](const candidate& c) {
        return c.l2_bytes() == bytes || (c.l2_bytes() == 0 && sane_l2(bytes));
    });
}

}  // namespace detail

inline count level_2(const readings& r, const facts& f, const identity& id, const count& xccs) {
    const number reported = f.l2.empty() ? number() : number(f.l2.front().value);
    if (r.user.l2_bytes) return known<std::uint64_t>(*r.user.l2_bytes, "user", "set by the user", reported);
    if (const std::uint64_t table = detail::l2_by_table(id, xccs)) {
        if (reported && *reported == table)
            return known<std::uint64_t>(table, f.l2.front().source, "as the chip has", reported);
        return known<std::uint64_t>(
            table, product_table,
            reported ? detail::wrong_l2(*reported, table, xccs) : "all products that fit have it", reported);
    }
    const bool dies = !id.gfx || detail::has_dies(*id.gfx);
    for (const claim& c : f.l2)
        if (!dies && detail::sane_l2(c.value) &&
            (id.products.rows.empty() || detail::l2_of_a_row(id, c.value)))
            return known<std::uint64_t>(c.value, c.source, "stated by this source", reported);
    return unknown(reported ? "the figure reported is not to be trusted (caches of one die, or none), and "
                              "the product is not settled"
                            : detail::undecided(id),
                   reported);
}

namespace detail {

inline std::uint64_t l3_by_table(const identity& id) {
    const auto of = [](const candidate& c) {
        return std::uint64_t(c.product->l3_mib == not_settled ? 0 : c.product->l3_mib) << 20;
    };
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
    if (const std::uint64_t table = split ? 0 : detail::l3_by_table(id)) {
        if (reported && *reported == table)
            return known<std::uint64_t>(table, f.l3.front().source, "as the product has", reported);
        return known<std::uint64_t>(table, product_table, "all products that fit have it", reported);
    }
    if (reported && *reported > 0 && !split && id.gfx)
        return known<std::uint64_t>(*reported, f.l3.front().source, "stated by this source", reported);
    return unknown(detail::undecided(id), reported);
}

inline count level_3_of_package(const identity& id) {
    if (!id.products.all([](const candidate& c) { return c.parts > 1; }))
        return unknown<std::uint64_t>("the device is not known to be a partition");
    if (const std::uint64_t table = detail::l3_by_table(id))
        return known<std::uint64_t>(table, product_table, "shared by all partitions of the package");
    return unknown<std::uint64_t>(detail::undecided(id));
}

}  // namespace FADE_NAMESPACE::truth

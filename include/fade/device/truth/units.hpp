// How many compute units there are. A count is corrected once: where it was made in work-group processors.
#pragma once
#include <fade/device/truth/identity.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

inline std::uint64_t max_units(const identity& id) {
    std::uint64_t max = 0;
    for (const candidate& c : id.products.rows) max = std::max<std::uint64_t>(max, c.chip->max_cus);
    if (max == 0 && id.gfx)
        for (const chip& c : chips)
            if (c.gfx == silicon_of(*id.gfx)) max = std::max<std::uint64_t>(max, c.max_cus);
    return max;
}

/// CUs by the table; 0 where several products, or none, fit.
inline std::uint64_t units_by_table(const identity& id) {
    return id.products.unlisted ? 0 : id.products.agreed([](const candidate& c) { return c.cus(); });
}

/// Why a count cannot be; empty where it can.
inline std::string implausible(const claim& said, const facts& f, const identity& id) {
    const std::string head =
        std::string(said.source) + " counts " + std::to_string(said.value) + " CUs, but ";
    const bool through_kernel = said.source != std::string_view("drm");
    if (said.value == 0) return head + "a device has at least one";
    if (const std::uint64_t max = max_units(id); max && said.value > max)
        return head + "this chip has at most " + std::to_string(max);
    if (through_kernel && f.slots && said.value > *f.slots)
        return head + "there are only " + std::to_string(*f.slots) + " places for them";
    const bool nothing = id.products.rows.empty() && (said.value == 11 || said.value == 27);
    const bool raven = id.gfx ? *id.gfx == "gfx902" : nothing || id.products.all(may_be_old_apu);
    if (through_kernel && raven && said.value >= 11 && units_by_table(id) != said.value)
        return head +
               "kernels take that number from a firmware table that says 11 for every Raven (ROCm#1769)";
    return {};
}

inline number reported_units(const readings& r, const facts& f) {
    if (f.multiprocessors) return f.multiprocessors->value;
    if (r.opencl.compute_units) return r.opencl.compute_units;
    if (r.agent.compute_units) return r.agent.compute_units;
    return f.units.empty() ? number() : number(f.units.front().value);
}

/// Does the runtime run in CU mode? The variable says so, or the threads per unit, or a doubled count could
/// not be.
inline bool counts_units(const facts& f, const identity& id, std::uint64_t n) {
    if (f.unit_mode) return true;
    const architecture& a = *id.arch();
    if (f.threads_per_multiprocessor)
        return *f.threads_per_multiprocessor == std::uint64_t(a.simd_per_cu) * a.waves_per_simd * 32;
    const std::uint64_t max = max_units(id), table = units_by_table(id);
    return (max && n * 2 > max) || (table && table == n);
}

inline count units_of_runtime(const facts& f, const identity& id, const number& reported) {
    const claim& mp = *f.multiprocessors;
    if (f.masked)
        return unknown("the runtime's count follows the CU mask that is set, and no other source counts",
                       reported);
    if (mp.value == 0 || mp.value > 4096)
        return unknown("the runtime counts " + std::to_string(mp.value) + " multiprocessors, which cannot be",
                       reported);
    if (!id.arch()->rdna) {
        const bool lowered = f.cooperative || (*id.gfx == "gfx90a" && mp.value == 96);
        if (lowered)
            return unknown(
                "the runtime's count may be lowered for cooperative launches, and no other source counts",
                reported);
        if (const std::string against = implausible(mp, f, id); !against.empty())
            return unknown(against, reported);
        return known<std::uint64_t>(mp.value, mp.source, "on " + *id.gfx + " the runtime counts CUs",
                                    reported);
    }
    if (counts_units(f, id, mp.value))
        return known<std::uint64_t>(mp.value, mp.source, "the runtime counts CUs in CU mode", reported);
    return known<std::uint64_t>(
        mp.value * 2, "derived",
        "the runtime counts work-group processors of two CUs (WGP mode, the default on gfx10 and later)",
        reported);
}

inline std::string names_of(const candidates& c) {
    std::string out;
    std::size_t at = 0;
    for (const candidate& row : c.rows)
        if (at++ < 6)
            out += (at > 1 ? ", " : "") + std::string(row.product->name) +
                   (row.parts > 1 ? " (" + row.partition() + ")" : "");
    return out + (c.rows.size() > 6 ? " and " + std::to_string(c.rows.size() - 6) + " more" : "");
}

/// Why the table does not settle something.
inline std::string undecided(const identity& id) {
    if (id.products.unlisted)
        return "the id table has no row for this device or revision, and no source reports it";
    if (id.products.rows.empty() && !id.gfx) return "the architecture is unknown: " + id.gfx.why;
    if (id.products.rows.empty()) return "no source reports it and no product of the table fits";
    return "no source reports it, and several products fit: " + names_of(id.products);
}

}  // namespace detail

inline count compute_units(const readings& r, const facts& f, const identity& id) {
    const number reported = detail::reported_units(r, f);
    if (r.user.cu_count) return known<std::uint64_t>(*r.user.cu_count, "user", "set by the user", reported);
    claims said = f.units;
    if (f.simds && id.arch()) said.insert(said.begin(), {*f.simds / id.arch()->simd_per_cu, "kfd"});
    std::string refused;
    const auto why = [&](std::uint64_t value) {
        if (!refused.empty()) return refused;
        if (reported && *reported * 2 == value)
            return std::string("the runtime counts work-group processors of two CUs");
        return std::string(f.masked ? "a CU mask shrinks the runtime's count, not the hardware"
                                    : "counted by this source");
    };
    for (const claim& c : said) {
        const std::string against = detail::implausible(c, f, id);
        if (against.empty()) return known<std::uint64_t>(c.value, c.source, why(c.value), reported);
        refused += (refused.empty() ? "" : "; ") + against;
    }
    if (const std::uint64_t table = detail::units_by_table(id)) {
        const std::string pairs =
            reported && *reported * 2 == table ? "the runtime counts work-group processors of two CUs; " : "";
        return known<std::uint64_t>(table, product_table,
                                    pairs + (refused.empty() ? "" : refused + "; ") +
                                        "only products with this count fit: " + detail::names_of(id.products),
                                    reported);
    }
    if (f.multiprocessors && id.arch()) return detail::units_of_runtime(f, id, reported);
    return unknown(refused.empty() ? detail::undecided(id) : refused, reported);
}

inline count workgroup_processors(const count& cus, const identity& id) {
    if (!id.arch()) return unknown<std::uint64_t>("the architecture is unknown");
    if (!id.arch()->rdna) return unknown<std::uint64_t>(*id.gfx + " has no work-group processors");
    if (!cus) return unknown<std::uint64_t>("the number of CUs is unknown: " + cus.why);
    return known<std::uint64_t>(*cus / 2, cus.source, "a work-group processor is two CUs");
}

/// What a mask leaves; the runtime's count shows it, in its own unit.
inline count usable_units(const count& cus, const facts& f, const identity& id) {
    if (!f.masked)
        return cus ? known<std::uint64_t>(*cus, cus.source, "no CU mask is set")
                   : unknown<std::uint64_t>(cus.why);
    if (!f.multiprocessors && cus && f.mask_bits && *f.mask_bits <= *cus)
        return known<std::uint64_t>(*f.mask_bits, "derived", "the CUs that ROC_GLOBAL_CU_MASK names");
    if (!f.multiprocessors || !id.arch())
        return unknown<std::uint64_t>("a CU mask is set, and no runtime was asked what it leaves");
    const bool pairs = id.arch()->rdna && !f.unit_mode;
    return known<std::uint64_t>(f.multiprocessors->value * (pairs ? 2 : 1), "derived",
                                "what the CU mask leaves, as the runtime counts it");
}

}  // namespace FADE_NAMESPACE::truth

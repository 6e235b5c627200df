// How much memory there is, how much can be used, how wide and how fast it is.
#pragma once
#include <algorithm>
#include <fade/device/truth/layout.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

/// An APU's memory is the machine's: is this device one?
inline bool shares_memory(const facts& f, const identity& id) {
    return f.apu || id.products.all([](const candidate& c) { return c.chip->apu && !c.has_partitions(); });
}

inline number reported_memory(const readings& r) {
    if (r.runtime.total_memory) return r.runtime.total_memory;
    if (r.framework.total_memory) return r.framework.total_memory;
    return r.opencl.global_memory;
}

inline count memory_of_apu(const readings& r, const number& reported) {
    const sysfs_reading& s = r.sysfs;
    if (!s.vram_total || !s.gtt_total || *s.vram_total > max_counted || *s.gtt_total > max_counted)
        return unknown("an APU reports its carve-out, its GTT pool or their sum, depending on version; "
                       "without sysfs they cannot be told apart (ROCm#6004)",
                       reported);
    const std::uint64_t all = *s.vram_total + *s.gtt_total;
    return known<std::uint64_t>(all, "sysfs",
                                "carve-out " + std::to_string(*s.vram_total) + " plus GTT pool " +
                                    std::to_string(*s.gtt_total) + ", both in the machine's memory",
                                reported);
}

inline std::uint64_t smaller(std::uint64_t a, const number& b) { return b ? std::min(a, *b) : a; }

}  // namespace detail

inline count memory_total(const readings& r, const facts& f, const identity& id) {
    const number reported = detail::reported_memory(r);
    if (detail::shares_memory(f, id)) return detail::memory_of_apu(r, reported);
    const bool partition = id.products.all([](const candidate& c) { return c.parts > 1; });
    if (partition && r.kernel.bank_bytes)
        return known<std::uint64_t>(
            *r.kernel.bank_bytes, "kfd",
            "the partition's bank; in NPS1 it is a quota on a shared pool (ROCm#4750)", reported);
    if (f.memory && !partition)
        return known<std::uint64_t>(f.memory->value, f.memory->source, "the memory of the device", reported);
    if (reported) return known<std::uint64_t>(*reported, "hip", "as the runtime reports it", reported);
    return unknown<std::uint64_t>("no source reports it");
}

/// What an allocation can get: of an APU the pool that the runtime uses, within the machine's memory.
inline count memory_usable(const readings& r, const count& total) {
    const number reported = r.runtime.free_memory;
    if (!total) return unknown(total.why, reported);
    const std::uint64_t pool = r.runtime.total_memory ? std::min(*r.runtime.total_memory, *total) : *total;
    const std::uint64_t usable =
        detail::smaller(pool, r.sysfs.host_memory && r.sysfs.gtt_total ? r.sysfs.host_memory : number());
    return known<std::uint64_t>(usable, r.runtime.total_memory ? "hip" : total.source,
                                reported && *reported > usable
                                    ? "free memory cannot exceed what there is (ROCm#6004)"
                                    : "the pool that allocations come from",
                                reported);
}

inline count bus_width(const readings& r, const facts& f, const identity& id) {
    const number reported = r.runtime.bus_bits;
    if (r.driver.bus_bits && *r.driver.bus_bits)
        return known<std::uint64_t>(*r.driver.bus_bits, "drm",
                                    "vram_bit_width; 0 and doubled widths come from the runtime's table",
                                    reported);
    if (r.kernel.bank_width && *r.kernel.bank_width)
        return known<std::uint64_t>(
            *r.kernel.bank_width, "kfd",
            "width of the memory bank; 0 and doubled widths come from the runtime's table", reported);
    if (reported && *reported && !detail::shares_memory(f, id))
        return known<std::uint64_t>(*reported, "hip", "as the runtime reports it", reported);
    return unknown("no source that is right on every version reports it", reported);
}

namespace detail {

/// MHz, from a figure that may be in kHz (ROCm#4729) or absent (0).
inline number sane_mhz(const number& value) {
    if (!value) return {};
    const std::uint64_t mhz = *value >= 100000 ? *value / 1000 : *value;
    return mhz >= 100 && mhz <= 4000 ? number(mhz) : number();
}

inline count clock_of(const claims& said, const char* why) {
    const number reported = said.empty() ? number() : number(said.front().value);
    for (const claim& c : said)
        if (const number mhz = sane_mhz(c.value))
            return known<std::uint64_t>(*mhz, c.source, *mhz == c.value ? why : "the figure was in kHz",
                                        reported);
    return unknown(said.empty() ? "no source reports it" : "what was reported is no clock", reported);
}

}  // namespace detail

inline count engine_clock(const readings& r) {
    claims said;
    detail::say(said, r.driver.max_engine_mhz, "drm"), detail::say(said, r.kernel.max_engine_mhz, "kfd"),
        detail::say(said, r.agent.max_clock_mhz, "rocminfo");
    if (r.runtime.clock_khz) detail::say(said, *r.runtime.clock_khz / 1000, "hip");
    detail::say(said, r.management.max_engine_mhz, "smi");
    return detail::clock_of(said, "the highest clock, not the sustained one");
}

inline count memory_clock(const readings& r) {
    claims said;
    detail::say(said, r.driver.max_memory_mhz, "drm"), detail::say(said, r.kernel.bank_clock_mhz, "kfd");
    if (r.runtime.memory_clock_khz) detail::say(said, *r.runtime.memory_clock_khz / 1000, "hip");
    detail::say(said, r.management.max_memory_mhz, "smi");
    return detail::clock_of(said, "the base clock; transfers per clock depend on the memory");
}

}  // namespace FADE_NAMESPACE::truth

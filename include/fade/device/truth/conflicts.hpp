// Every pair of sources that disagree: both are kept, and the conflict is named.
#pragma once
#include <fade/device/truth/caches.hpp>
#include <fade/device/truth/traits.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::truth {

namespace detail {

/// What disagrees with a settled value, or, where there is none, with the first that spoke.
inline void compare(std::vector<conflict>& to, const char* name, const claims& said, const count& settled) {
    if (said.empty()) return;
    const std::string source = settled ? settled.source : said.front().source;
    const std::uint64_t value = settled ? *settled : said.front().value;
    for (const claim& c : said)
        if (c.value != value)
            to.push_back({name, c.source, std::to_string(c.value), source, std::to_string(value),
                          settled ? settled.why : "neither is believed"});
}

/// What was read against what every product that fits has, where neither was believed.
inline void compare_with_table(std::vector<conflict>& to, const char* name, const claims& said,
                               const count& settled, std::uint64_t table) {
    if (settled || table == 0) return;
    for (const claim& c : said)
        if (c.value != table)
            to.push_back({name, c.source, std::to_string(c.value), product_table, std::to_string(table),
                          "neither is believed"});
}

inline claims with(claims said, const std::optional<claim>& more) {
    if (more) said.push_back(*more);
    return said;
}

}  // namespace detail

inline std::vector<conflict> find_conflicts(const facts& f, const identity& id, const device_traits& t) {
    std::vector<conflict> out = id.conflicts;
    detail::compare(out, "cu_count", detail::with(f.units, f.multiprocessors), t.cu_count);
    detail::compare(out, "wavefront_native", detail::with({}, f.wave), t.wavefront_native);
    detail::compare(out, "l2_bytes_total", f.l2, t.l2_bytes_total);
    detail::compare_with_table(out, "l2_bytes_total", f.l2, t.l2_bytes_total, detail::l2_by_table(id));
    detail::compare(out, "l3_bytes", f.l3, t.l3_bytes);
    detail::compare(out, "shader_engines", f.engines, t.shader_engines);
    detail::compare_with_table(out, "shader_engines", f.engines, t.shader_engines,
                               detail::engines_by_table(id));
    detail::compare(out, "shader_arrays_per_engine", f.arrays, t.shader_arrays_per_engine);
    detail::compare(out, "xcc_count", detail::with({}, f.xccs), t.xcc_count);
    return out;
}

}  // namespace FADE_NAMESPACE::truth

// What a GPU has beside compute units that decides which policy is the fastest.
#pragma once
#include <fade/device/truth/traits.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// ", 8 compute dies, L2 32768 KiB, LDS 64 KiB a workgroup, SPX, clock class 2100 MHz". What is not known is
/// left out. Clocks count in steps of 100 MHz, since those of one product differ by less.
inline std::string tuning_words(const device_traits& t) {
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    std::string out;
    if (t.xcc_count)
        out += ", " + number(*t.xcc_count) + (*t.xcc_count == 1 ? " compute die" : " compute dies");
    if (t.l2_bytes_total) out += ", L2 " + number(*t.l2_bytes_total / 1024) + " KiB";
    if (t.lds_per_workgroup_bytes)
        out += ", LDS " + number(*t.lds_per_workgroup_bytes / 1024) + " KiB a workgroup";
    if (t.partition) out += ", " + *t.partition;
    if (t.engine_clock_mhz) out += ", clock class " + number(*t.engine_clock_mhz / 100 * 100) + " MHz";
    return out;
}

}  // namespace FADE_NAMESPACE

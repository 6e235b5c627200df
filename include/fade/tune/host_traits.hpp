// What this CPU has beside threads that decides which policy is the fastest.
#pragma once
#include <cstddef>
#include <cstdio>
#include <fade/core/namespace.hpp>
#include <string>

namespace FADE_NAMESPACE {

namespace detail {

/// The number that a small file begins with; 0 where there is none.
inline long number_in_file(const char* path) {
    long out = 0;
    if (std::FILE* file = std::fopen(path, "r")) {
        if (std::fscanf(file, "%18ld", &out) != 1) out = 0;
        std::fclose(file);
    }
    return out;
}

/// Of a cache of the first core, '2' or '3'; 0 where Linux does not say.
inline long kib_of_cache(char index) {
    std::string path = "/sys/devices/system/cpu/cpu0/cache/index?/size";
    path[path.find('?')] = index;
    return number_in_file(path.c_str());
}

/// The bytes of the last cache; of one that Linux does not tell, as many as most have at most.
inline std::size_t host_last_cache() {
    constexpr std::size_t kib = 1024, unknown = std::size_t(32) << 20;
    for (const char index : {'3', '2'})
        if (const long size = kib_of_cache(index); size > 0) return std::size_t(size) * kib;
    return unknown;
}

inline std::string read_host_traits() {
    std::string out;
    for (const char index : {'2', '3'}) {
        const long kib = kib_of_cache(index);
        if (kib > 0) out += std::string(", L") + index + " " + std::to_string(kib) + " KiB";
    }
    const long khz = number_in_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    constexpr long step = 100'000;  // turbo modes of one model differ by less
    if (khz > 0) out += ", clock class " + std::to_string(khz / step * 100) + " MHz";
    return out;
}

}  // namespace detail

/// ", L2 1024 KiB, L3 32768 KiB, clock class 3500 MHz": of the first core, as Linux says; what it does not
/// say is left out. Read once.
inline const std::string& host_traits_in_words() {
    static const std::string traits = detail::read_host_traits();
    return traits;
}

}  // namespace FADE_NAMESPACE

// How much memory this process may still take.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>

namespace fade::tools {

/// A sum or product of sizes that stays at the largest value instead of wrapping.
struct big_size {
    std::uint64_t value = 0;
    static constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

    friend big_size operator*(big_size a, big_size b) {
        const bool over = a.value && b.value > max / a.value;
        return {over ? max : a.value * b.value};
    }
    friend big_size operator+(big_size a, big_size b) {
        return {b.value > max - a.value ? max : a.value + b.value};
    }
};

/// The first number in a file, or the default where there is none ("max").
inline std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
    std::uint64_t value = 0;
    std::ifstream file(path);
    return file >> value ? value : otherwise;
}

inline std::uint64_t free_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        std::uint64_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) return kib * 1024;
    }
    return big_size::max;
}

/// What the control group of this process leaves.
inline std::uint64_t free_in_group() {
    const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max", big_size::max);
    const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current", 0);
    return limit == big_size::max ? limit : limit - std::min(limit, used);
}

inline std::uint64_t address_limit() {
    rlimit limit{};
    const bool known = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? std::uint64_t(limit.rlim_cur) : big_size::max;
}

/// The least of what the machine, the control group and the process limits leave.
inline std::uint64_t available_memory() {
    return std::min({free_memory(), free_in_group(), address_limit()});
}

/// "3.2 GiB"
inline std::string in_words(std::uint64_t bytes) {
    const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = double(bytes);
    int unit = 0;
    for (; amount >= 1024 && unit < 6; ++unit) amount /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", amount, units[unit]);
    return text;
}

}  // namespace fade::tools

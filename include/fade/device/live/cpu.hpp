// This machine's CPU in the same terms as a GPU.
#pragma once
#include <fade/device/live/tree.hpp>
#include <fade/device/truth/description.hpp>
#include <set>
#include <string>
#include <thread>

namespace FADE_NAMESPACE::live {

namespace detail {

inline std::string cpu_name(const tree& root) {
    const std::string info = root.text("proc/cpuinfo").value_or("");
    const std::size_t at = info.find("model name"), colon = info.find(':', at);
    if (at == std::string::npos || colon == std::string::npos) return "CPU";
    const std::size_t end = std::min(info.find('\n', colon), info.size());
    return info.substr(std::min(colon + 2, end), end - std::min(colon + 2, end));
}

/// A row of /proc/meminfo, in bytes.
inline truth::number memory_row(const tree& root, const char* name) {
    const std::string info = root.text("proc/meminfo").value_or("");
    const std::size_t at = info.find(std::string(name) + ":");
    if (at == std::string::npos) return {};
    const std::size_t first = info.find_first_of("0123456789", at),
                      last = info.find_first_not_of("0123456789", first);
    const auto kib = first == std::string::npos
                         ? std::nullopt
                         : tree::number_of(std::string_view(info).substr(first, last - first));
    return kib && *kib < (std::uint64_t(1) << 50) ? truth::number(*kib * 1024) : truth::number();
}
inline truth::number host_memory(const tree& root) { return memory_row(root, "MemTotal"); }

/// "2048K"
inline std::uint64_t kib_of(const std::string& size) {
    if (!size.ends_with('K')) return 0;
    const auto kib = tree::number_of(std::string_view(size).substr(0, size.size() - 1));
    return kib && *kib < (std::uint64_t(1) << 40) ? *kib : 0;
}

/// All caches of a level, each once however many threads share it.
inline truth::number cache_of_level(const tree& root, std::uint64_t level) {
    std::set<std::string> met;
    std::uint64_t sum = 0;
    const std::string cpus = "sys/devices/system/cpu";
    for (const std::string& cpu : root.list(cpus)) {
        if (!cpu.starts_with("cpu") || !root.holds(cpus + "/" + cpu + "/cache")) continue;
        for (const std::string& index : root.list(cpus + "/" + cpu + "/cache")) {
            const std::string at = cpus + "/" + cpu + "/cache/" + index;
            if (root.number(at + "/level") == level &&
                met.insert(root.line(at + "/shared_cpu_list").value_or(cpu)).second)
                sum += kib_of(root.line(at + "/size").value_or("")) * 1024;
        }
    }
    return sum ? truth::number(sum) : truth::number();
}

}  // namespace detail

/// The CPU. What only GPUs have is unknown, with that reason.
inline device_description describe_cpu(const tree& root = tree("/")) {
    device_description d;
    d.name = detail::cpu_name(root), d.arch = "host", d.backend = "host";
    truth::each_trait(d.traits, [](const char*, auto& f) { f.why = "this device is a CPU"; });
    d.traits.cu_count = truth::known<std::uint64_t>(std::thread::hardware_concurrency(), "system",
                                                    "hardware threads that this process may use");
    const auto take = [](truth::count& to, const truth::number& value, const char* why) {
        if (value) to = truth::known<std::uint64_t>(*value, "system", why);
    };
    take(d.traits.memory_total_bytes, detail::host_memory(root), "MemTotal"),
        take(d.traits.memory_usable_bytes, detail::memory_row(root, "MemAvailable"),
             "MemAvailable: what can be had without swapping");
    take(d.traits.l2_bytes_total, detail::cache_of_level(root, 2), "of all cores"),
        take(d.traits.l3_bytes, detail::cache_of_level(root, 3), "of all core complexes");
    if (const auto khz = root.number("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
        d.traits.engine_clock_mhz =
            truth::known<std::uint64_t>(*khz / 1000, "system", "the highest clock, not the sustained one");
    return d;
}

}  // namespace FADE_NAMESPACE::live

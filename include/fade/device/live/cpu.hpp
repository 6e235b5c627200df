// This machine's CPU in the same terms as a GPU.
#pragma once
#include <string>
#include <thread>
#include <fade/device/description.hpp>
#include <fade/device/live/tree.hpp>

namespace fade::live {

namespace detail {

inline std::string cpu_name(const tree& root) {
    const std::string info = root.text("proc/cpuinfo").value_or("");
    const std::size_t at = info.find("model name"), colon = info.find(':', at);
    if (at == std::string::npos || colon == std::string::npos) return "CPU";
    const std::size_t end = std::min(info.find('\n', colon), info.size());
    return info.substr(std::min(colon + 2, end), end - std::min(colon + 2, end));
}

inline truth::number host_memory(const tree& root) {
    const std::string info = root.text("proc/meminfo").value_or("");
    const std::size_t at = info.find("MemTotal:");
    if (at == std::string::npos) return {};
    const std::size_t first = info.find_first_of("0123456789", at), last = info.find_first_not_of("0123456789", first);
    const auto kib = first == std::string::npos ? std::nullopt : tree::number_of(std::string_view(info).substr(first, last - first));
    return kib && *kib < (std::uint64_t(1) << 50) ? truth::number(*kib * 1024) : truth::number();
}

}  // namespace detail

/// The CPU. What only GPUs have is unknown, with that reason.
inline device_description describe_cpu(const tree& root = tree("/")) {
    device_description d;
    d.name = detail::cpu_name(root), d.arch = "host", d.backend = "host";
    truth::each_trait(d.traits, [](const char*, auto& f) { f.why = "this device is a CPU"; });
    d.traits.cu_count = truth::known<std::uint64_t>(std::thread::hardware_concurrency(), "system", "hardware threads that this process may use");
    if (const auto bytes = detail::host_memory(root)) d.traits.memory_total_bytes = truth::known<std::uint64_t>(*bytes, "system", "MemTotal");
    return d;
}

}  // namespace fade::live

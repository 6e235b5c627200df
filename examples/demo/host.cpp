#include "on_device.hpp"
#include <fstream>
#include <thread>

namespace demo {
namespace {

/// What a file of /proc says behind a word.
std::string said_of(const char* file, const std::string& word) {
    std::ifstream from(file);
    for (std::string line; std::getline(from, line);)
        if (line.rfind(word, 0) == 0) return line.substr(line.find(':') + 1);
    return {};
}

std::uint64_t free_bytes() {
    const std::string kib = said_of("/proc/meminfo", "MemAvailable");
    return kib.empty() ? 0 : std::stoull(kib) * 1024;
}

}  // namespace

std::unique_ptr<trainer> host_trainer(const std::string& name) {
    if (name != "host" && name != "auto") return nullptr;
    const std::string cpu = said_of("/proc/cpuinfo", "model name");
    return std::make_unique<trainer_on<fade::host_device, decltype(&free_bytes)>>(
        "this CPU (" + (cpu.empty() ? "of unknown name" : cpu.substr(1)) + ", " +
            std::to_string(std::thread::hardware_concurrency()) + " threads)",
        &free_bytes);
}

}  // namespace demo

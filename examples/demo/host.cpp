#include "on_device.hpp"
#include <fstream>

namespace demo {
namespace {

/// What this CPU calls itself.
std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2);
    return "of unknown name";
}

}  // namespace

std::optional<outcome> on_host(const std::string& name, const settings& s, const digits& data) {
    if (name != "host" && name != "auto") return {};
    fade::host_device device;
    const std::string threads = std::to_string(device.compute_units());
    return on_device(device, "this CPU (" + cpu_name() + ", " + threads + " threads)", s, data);
}

}  // namespace demo

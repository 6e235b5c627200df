#include "devices.hpp"
#include "../common/numbers.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using tools::quoted;
using tools::refusal;

const gpu_kind* find_gpu(std::string_view kind) {
    const auto found = std::ranges::find(gpu_kinds(), kind, &gpu_kind::name);
    return found == gpu_kinds().end() ? nullptr : &*found;
}

/// hip:N or cuda:N
device_choice find_gpu_device(std::string_view word) {
    const std::string kind(word.substr(0, word.find(':')));
    int number = 0;
    if (!tools::is_number(word.substr(kind.size() + 1), number) || number < 0)
        throw refusal("--device is " + quoted(word) + ", but after " + kind +
                      ": stands the number of a device, from 0 on.");
    const gpu_kind* gpu = find_gpu(kind);
    if (!gpu)
        throw refusal("--device is " + quoted(word) + ", but this fade-bench was built without " + kind +
                      "; scripts/build " + kind + " makes one with it.");
    const int count = gpu->count();
    if (number >= count)
        throw refusal("--device is " + quoted(word) + ", but the number of " + kind + " devices here is " +
                      std::to_string(count) + ".");
    return {.name = std::string(word), .kind = kind, .number = number};
}

device_choice find_emulated(std::string_view word, const std::vector<std::string>& held) {
    if (std::ranges::count(held, word))
        return {.name = std::string(word), .kind = std::string(word), .arch = std::string(word.substr(9))};
    std::vector<std::string> archs;
    for (const std::string& d : held)
        if (d.starts_with("emulated:")) archs.push_back(d.substr(9));
    throw refusal("--device is " + quoted(word) + ", but the architectures that can be emulated are " +
                  tools::listed(archs) + ".");
}

device_choice first_device() {
    for (const gpu_kind& gpu : gpu_kinds())
        if (gpu.count() > 0) return {.name = gpu.name + ":0", .kind = gpu.name};
    return {.name = "host", .kind = "host"};
}

void keep_different(std::vector<std::string>& words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
}

}  // namespace

device_choice find_device(std::string_view word, const std::vector<runner_key>& held) {
    if (word == "auto") return first_device();
    if (word == "host") return {.name = "host", .kind = "host"};
    if (word.starts_with("hip:") || word.starts_with("cuda:")) return find_gpu_device(word);
    if (word.starts_with("emulated:")) return find_emulated(word, devices_of(held));
    throw refusal("--device is " + quoted(word) +
                  ", but must be auto, host, emulated:ARCH, hip:N or cuda:N.");
}

void check_clock(const request& asked, const std::string& kind) {
    if (asked.clock == clock_kind::processor && find_gpu(kind))
        throw refusal("--clock is processor, but the processor only waits for what " + kind +
                      " computes: give wall.");
}

std::vector<std::string> devices_of(const std::vector<runner_key>& held) {
    std::vector<std::string> out;
    for (const runner_key& k : held) out.push_back(k.device);
    keep_different(out);
    return out;
}

std::vector<std::string> types_of(const std::vector<runner_key>& held, std::string_view kind) {
    std::vector<std::string> out;
    for (const runner_key& k : held)
        if (kind.empty() || k.device == kind) out.push_back(name(k.in) + std::string(" to ") + name(k.out));
    keep_different(out);
    return out;
}

bool holds_compiled_code(const std::vector<runner_key>& held) {
    return std::ranges::count(held, "hip", &runner_key::device) > 0;
}

void refuse_types(std::string_view op, const request& asked, const std::string& kind,
                  const std::vector<runner_key>& held) {
    const auto types = types_of(held, kind);
    throw refusal("On " + kind + " fade-bench holds no " + std::string(op) + " of " +
                  std::string(asked.in->name) + " to " + std::string(asked.out->name) + "; it holds " +
                  (types.empty() ? "none there" : tools::listed(types)) + ".");
}

std::string planner_kind(const device_choice& device, const std::vector<runner_key>& held) {
    return !device.arch.empty() && holds_compiled_code(held) ? "hip" : device.kind;
}

}  // namespace fade::bench

#include "devices.hpp"
#include <algorithm>
#include "../common/numbers.hpp"

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
        throw refusal("--device is " + quoted(word) + ", but after " + kind + ": stands the number of a device, from 0 on.");
    const gpu_kind* gpu = find_gpu(kind);
    if (!gpu) throw refusal("--device is " + quoted(word) + ", but this fade-bench was built without " + kind + "; scripts/build " + kind + " makes one with it.");
    const int count = gpu->count();
    if (number >= count)
        throw refusal("--device is " + quoted(word) + ", but the number of " + kind + " devices here is " + std::to_string(count) + ".");
    return {.name = std::string(word), .kind = kind, .number = number};
}

device_choice find_emulated(std::string_view word) {
    const auto held = held_devices();
    if (std::ranges::count(held, word)) return {.name = std::string(word), .kind = std::string(word), .arch = std::string(word.substr(9))};
    std::vector<std::string> archs;
    for (const std::string& d : held)
        if (d.starts_with("emulated:")) archs.push_back(d.substr(9));
    throw refusal("--device is " + quoted(word) + ", but the architectures that can be emulated are " + tools::listed(archs) + ".");
}

device_choice first_device() {
    for (const gpu_kind& gpu : gpu_kinds())
        if (gpu.count() > 0) return {.name = gpu.name + ":0", .kind = gpu.name};
    return {.name = "host", .kind = "host"};
}

bool serves(const gemm_runner& r, const gemm_request& request, const std::string& kind, const gemm_call& call) {
    const gemm_runner_key& k = r.key();
    return k.device == kind && k.in == request.in->type && k.out == request.out->type &&
           (k.layout == "any" || k.layout == name(request.layout)) && r.takes(call);
}

[[noreturn]] void refuse_types(const gemm_request& request, const std::string& kind) {
    std::vector<std::string> held;
    for (const auto& r : gemm_runners()) {
        const std::string types = name(r->key().in) + std::string(" to ") + name(r->key().out);
        if (r->key().device == kind && !std::ranges::count(held, types)) held.push_back(types);
    }
    throw refusal("On " + kind + " fade-bench holds no gemm of " + std::string(request.in->name) + " to " + std::string(request.out->name) +
                  "; it holds " + tools::listed(held) + ".");
}

[[noreturn]] void refuse_chain(const gemm_request& request, const std::string& kind, std::vector<std::string> held) {
    held.insert(held.begin(), "none");
    throw refusal("--epilogue is " + quoted(name(request.epilogue)) + ", but the " + kind + " kernels of fade-bench have " + tools::listed(held) +
                  "; the nearest is " + nearest_chain(request.epilogue, held) + ".");
}

}  // namespace

device_choice find_device(std::string_view word) {
    if (word == "auto") return first_device();
    if (word == "host") return {.name = "host", .kind = "host"};
    if (word.starts_with("hip:") || word.starts_with("cuda:")) return find_gpu_device(word);
    if (word.starts_with("emulated:")) return find_emulated(word);
    throw refusal("--device is " + quoted(word) + ", but must be auto, host, emulated:ARCH, hip:N or cuda:N.");
}

std::vector<std::string> held_devices() {
    std::vector<std::string> out;
    for (const auto& r : gemm_runners()) out.push_back(r->key().device);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

const gemm_runner& find_runner(const gemm_request& request, const std::string& kind, const gemm_call& call) {
    const auto found = std::ranges::find_if(gemm_runners(), [&](const auto& r) { return serves(*r, request, kind, call); });
    if (found == gemm_runners().end()) refuse_types(request, kind);
    const auto held = (*found)->chains();
    if (!held.empty() && !request.epilogue.empty() && !std::ranges::count(held, name(request.epilogue))) refuse_chain(request, kind, held);
    return **found;
}

bool holds_compiled_code() {
    return std::ranges::any_of(gemm_runners(), [](const auto& r) { return r->key().device == "hip"; });
}

const gemm_runner& find_planner(const gemm_request& request, const device_choice& device, const gemm_call& call) {
    const bool compiled = !device.arch.empty() && holds_compiled_code();
    return find_runner(request, compiled ? "hip" : device.kind, call);
}

}  // namespace fade::bench

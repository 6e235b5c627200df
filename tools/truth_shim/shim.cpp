// libfade_truth.so: with LD_PRELOAD it stands before the HIP runtime and corrects what hipGetDeviceProperties
// and hipDeviceGetAttribute say to a program that was not changed. FADE_TRUTH=off|wgp|cu. It loads no code,
// and reads the file in FADE_CONFIG.
#include "answers.hpp"
#include "layout.hpp"
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/auxv.h>

namespace fade::shim {
namespace {

using properties_function = int(void*, int);
using attribute_function = int(int*, int, int);
constexpr int max_devices = 64;

/// The runtime that the program has loaded, for programs that loaded it privately. Never loads one.
void* loaded_runtime() {
    std::string path;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            if (std::string_view(info->dlpi_name).find("libamdhip64.so") == std::string_view::npos) return 0;
            *static_cast<std::string*>(to) = info->dlpi_name;
            return 1;
        },
        &path);
    return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
}

template <class F>
F* real(const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (!found)
        if (void* runtime = loaded_runtime()) found = dlsym(runtime, name);
    return reinterpret_cast<F*>(found);
}

/// A runtime may ask itself through the PLT, and so the shim: what it asks while it answers is not corrected.
thread_local int depth = 0;

struct inside {
    inside() { ++depth; }
    ~inside() { --depth; }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
};

attribute_function* real_attribute() {
    static attribute_function* const f = real<attribute_function>("hipDeviceGetAttribute");
    return f;
}

int asked(int which, int device, int otherwise) {
    const inside runtime;
    int value = otherwise;
    return real_attribute() && real_attribute()(&value, which, device) == 0 ? value : otherwise;
}

backend::number positive(std::int64_t n) {
    return n >= 0 ? backend::number(std::uint64_t(n)) : backend::number();
}

backend::device_reading read(const void* p, const layout& at, int device) {
    backend::device_reading r;
    char target[64] = {}, name[256] = {};
    std::memcpy(target, static_cast<const char*>(p) + at.target, sizeof target - 1),
        std::memcpy(name, p, sizeof name - 1);
    r.target = target, r.name = name;
    r.multiprocessors = positive(get<int>(p, at.multiprocessors)),
    r.threads_per_multiprocessor = positive(get<int>(p, at.threads)),
    r.warp_size = positive(get<int>(p, at.warp_size));
    r.shared_per_multiprocessor = get<std::uint64_t>(p, at.shared), r.l2_bytes = positive(get<int>(p, at.l2)),
    r.total_memory = get<std::uint64_t>(p, at.total_memory);
    r.registers_per_multiprocessor =
        positive(at.registers ? get<int>(p, at.registers) : get<int>(p, at.registers_per_block));
    r.pci_bus = positive(asked(pci_bus, device, -1)), r.pci_device = positive(asked(pci_device, device, -1)),
    r.pci_domain = positive(asked(pci_domain, device, -1));
    return r;
}

/// Is this really the struct that the offsets belong to? Two of its values are asked for in another way.
bool is_layout(const void* p, const layout& at, int device) {
    return std::strncmp(static_cast<const char*>(p) + at.target, "gfx", 3) == 0 &&
           get<int>(p, at.multiprocessors) == asked(multiprocessor_count, device, -1) &&
           get<int>(p, at.warp_size) == asked(warp_size, device, -1);
}

void log(const backend::device_reading& said, const answers& a, int device) {
    static std::once_flag once[max_devices];
    if (a.any() && device >= 0 && device < max_devices)
        std::call_once(once[device], [&] {
            std::fprintf(stderr, "fade-truth: device %d (%s): %s; FADE_TRUTH=off leaves them\n", device,
                         said.target->c_str(), words(said, a).c_str());
        });
}

/// What the user set and cannot be is said once, and then nothing is corrected.
answers corrected(const backend::device_reading& said, mode m) {
    static std::once_flag once;
    try {
        return correct(said, m);
    } catch (const std::exception& e) {
        std::call_once(once,
                       [&] { std::fprintf(stderr, "fade-truth: %s; nothing is corrected\n", e.what()); });
        return {};
    }
}

/// The answers of a device and what it said, worked out once. Attributes are corrected by the same answers as
/// the struct.
struct device_answers {
    backend::device_reading said;
    answers now;
};

mode active_mode() {
    static const mode m = getauxval(AT_SECURE) ? mode::off : wanted_mode();
    return m;
}

void correct_struct(void* p, const layout& at, int device) {
    if (!is_layout(p, at, device)) return;
    const backend::device_reading said = read(p, at, device);
    const answers a = corrected(said, active_mode());
    if (a.multiprocessors) put(p, at.multiprocessors, int(*a.multiprocessors));
    if (a.threads) put(p, at.threads, int(*a.threads));
    if (a.shared) put(p, at.shared, std::uint64_t(*a.shared));
    if (a.shared && at.shared_too) put(p, at.shared_too, std::uint64_t(*a.shared));
    if (a.registers && at.registers) put(p, at.registers, int(*a.registers));
    if (a.l2) put(p, at.l2, int(*a.l2));
    log(said, a, device);
}

/// Nothing may leave through a C interface: out of memory, an answer stands as the runtime gave it.
template <class F>
void guarded(F&& correct) noexcept {
    try {
        if (active_mode() != mode::off) correct();
    } catch (...) {
    }
}

/// hipErrorInvalidValue where there is no runtime behind the shim.
template <class F>
int answer(F* runtime, auto... arguments) {
    const inside asked;
    return runtime ? runtime(arguments...) : 1;
}

int properties(void* p, int device, const layout& at) noexcept {
    properties_function* runtime = nullptr;
    try {
        runtime = real<properties_function>(at.name);
    } catch (...) {
    }
    const int status = answer(runtime, p, device);
    if (status == 0 && p && depth == 0) guarded([&] { correct_struct(p, at, device); });
    return status;
}

/// The device as the struct of whichever version the runtime has describes it.
bool read_device(int device, backend::device_reading& said) {
    alignas(16) std::array<char, 4096> space{};
    const inside runtime;
    for (const layout* at : {&new_layout, &old_layout})
        if (auto* const f = real<properties_function>(at->name);
            f && f(space.data(), device) == 0 && is_layout(space.data(), *at, device))
            return said = read(space.data(), *at, device), true;
    return false;
}

const answers* answers_of(int device) {
    static std::array<device_answers, max_devices> all;
    static std::once_flag once[max_devices];
    if (device < 0 || device >= max_devices) return nullptr;
    std::call_once(once[device], [&] {
        if (!read_device(device, all[device].said)) return;
        all[device].now = corrected(all[device].said, active_mode());
        log(all[device].said, all[device].now, device);
    });
    return &all[device].now;
}

void correct_attribute(int* value, int which, int device) {
    const answers* a = answers_of(device);
    if (!a) return;
    const std::pair<int, const std::optional<std::int64_t>*> known[] = {
        {multiprocessor_count, &a->multiprocessors},   {threads_per_multiprocessor, &a->threads},
        {shared_per_multiprocessor, &a->shared},       {shared_per_multiprocessor_too, &a->shared},
        {registers_per_multiprocessor, &a->registers}, {l2_size, &a->l2}};
    for (const auto& [number, answer] : known)
        if (which == number && *answer) *value = int(**answer);
}

int device_attribute(int* value, int which, int device) noexcept {
    attribute_function* runtime = nullptr;
    try {
        runtime = real_attribute();
    } catch (...) {
    }
    const int status = answer(runtime, value, which, device);
    if (status == 0 && value && depth == 0) guarded([&] { correct_attribute(value, which, device); });
    return status;
}

}  // namespace
}  // namespace fade::shim

extern "C" {

__attribute__((visibility("default"))) int hipGetDeviceProperties(void* p, int device) {
    return fade::shim::properties(p, device, fade::shim::old_layout);
}

__attribute__((visibility("default"))) int hipGetDevicePropertiesR0600(void* p, int device) {
    return fade::shim::properties(p, device, fade::shim::new_layout);
}

__attribute__((visibility("default"))) int hipDeviceGetAttribute(int* value, int which, int device) {
    return fade::shim::device_attribute(value, which, device);
}
}

// The inside of a module: a product by one policy, behind functions.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fade/device/devices.hpp>
#include <fade/device/gemm_call.hpp>
#include <fade/device/tuning_machine.hpp>
#include <fade/tune/database/row.hpp>
#include <fade/tune/module/interface.hpp>
#include <memory>
#include <new>

namespace FADE_NAMESPACE {

/// The functions of a module for a kind of device, types and a policy.
template <class Device, class In, class Out, gemm_kernels Kernels>
class module_gemm {
    using words = tune::module_words;

    static void say(words to, const std::string& text) {
        if (to.text && to.room) std::snprintf(to.text, to.room, "%s", text.c_str());
    }
    /// What f returns; `otherwise` where it throws, which `why` says.
    template <class F, class T>
    static T guarded(words why, T otherwise, const F& f) {
        try {
            return f();
        } catch (const std::exception& e) {
            say(why, e.what());
            return otherwise;
        }
    }
    static Device& device(void* d) { return *static_cast<Device*>(d); }

    static void* open(const tune::module_target& t, words why) {
        return guarded(why, static_cast<void*>(nullptr), [&]() -> void* {
            if constexpr (requires {
                              emulation_options{};
                              typename Device::arch;
                          }) {
                emulation_options options{.threads = t.threads};
                if (t.compute_units) options.compute_units = t.compute_units;
                return new Device(options);
            } else {
                using stream = decltype(std::declval<Device&>().stream());
                return new Device(t.number, static_cast<stream>(t.stream), t.compute_units);
            }
        });
    }
    static void close(void* d) { delete static_cast<Device*>(d); }
    static bool describe(void* d, words name, words arch, words traits) {
        return guarded(name, false, [&] {
            const tuning_machine machine = machine_of(device(d));
            say(name, device(d).name()), say(arch, machine.arch), say(traits, machine.traits);
            return true;
        });
    }
    static void* allocate(void* d, std::size_t bytes, words why) {
        return guarded(why, static_cast<void*>(nullptr), [&]() -> void* {
            if constexpr (requires { device(d).allocate(bytes); })
                return device(d).allocate(bytes);
            else
                return ::operator new(bytes, std::align_val_t(64));
        });
    }
    static void release(void* d, void* memory) {
        guarded({nullptr, 0}, 0, [&] {
            if constexpr (requires { device(d).release(memory); })
                device(d).release(memory);
            else
                ::operator delete(memory, std::align_val_t(64));
            return 0;
        });
    }
    static bool copy(void* d, void* to, const void* from, std::size_t bytes, bool to_host, words why) {
        return guarded(why, false, [&] {
            if constexpr (requires { device(d).copy_to_host(to, from, bytes); }) {
                if (to_host)
                    device(d).copy_to_host(to, from, bytes);
                else
                    device(d).copy_to_device(to, from, bytes);
                device(d).synchronize();
            } else
                std::memcpy(to, from, bytes);
            return true;
        });
    }
    static bool multiply(void* d, const gemm_problem& problem, const tune::module_operands& o, int split_k,
                         bool waits, words why) {
        return guarded(why, false, [&] {
            if constexpr (fits_device<Device, In, Kernels>()) {
                gemm_operation<In, Out, Device, epilogue::none, Kernels> operation(
                    device(d), problem,
                    {.a = static_cast<const In*>(o.a),
                     .b = static_cast<const In*>(o.b),
                     .c = static_cast<const Out*>(o.c),
                     .d = static_cast<Out*>(o.d)},
                    epilogue::none{}, {.strict = true, .split_k = split_k});
                run_operation(device(d), operation, {.strict = true});
            }
            if constexpr (requires { device(d).synchronize(); })
                if (waits) device(d).synchronize();
            return true;
        });
    }

public:
    /// All of them. `key` must live as long as the module.
    static const tune::gemm_module* functions(const char* key) {
        static const tune::build build = tune::this_build();
        static const tune::gemm_module out{.key = key,
                                           .fingerprint = build.fingerprint.c_str(),
                                           .compiler = build.compiler.c_str(),
                                           .version = build.version.c_str(),
                                           .open = open,
                                           .close = close,
                                           .describe = describe,
                                           .allocate = allocate,
                                           .release = release,
                                           .copy = copy,
                                           .multiply = multiply};
        return &out;
    }
};

}  // namespace FADE_NAMESPACE

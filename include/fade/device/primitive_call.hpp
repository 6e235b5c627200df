// One call of a primitive: sized, planned or run, and reported.
#pragma once
#include <fade/backend/vendor/primitives.hpp>
#include <fade/core/require.hpp>
#include <fade/device/operation.hpp>

namespace FADE_NAMESPACE {

/// What the report says of a primitive.
struct primitive_words {
    std::string requested;
    const char* order;  ///< of the additions of floats, where there are any
};

template <class Device>
report report_of_primitive(const Device& device, const primitive_words& words) {
    using library = backend::primitive_library<Device>;
    report out;
    out.requested = words.requested, out.chosen = library::name, out.device = device.name();
    with_arch_of(device, [&](auto arch) { out.arch = std::string(arch.traits.name); });
    out.fallback = !library::vendor && !std::is_same_v<Device, host_device>;
    out.why = library::vendor ? "the vendor's library has tuned kernels for this device"
              : out.fallback  ? "a vendor's kernels are not emulated; this CPU computes the same result"
                              : "primitives of this CPU are the standard library's";
    out.why += words.order;
    out.evidence = "no measurement of this type and architecture";
    return out;
}

/// Runs what was checked. A workspace of the caller's begins at a multiple of 256 bytes.
template <class Arguments, class Device>
report run_primitive(Device& device, const primitive_words& words, const Arguments& args,
                     const operation_options& options) {
    using library = backend::primitive_library<Device>;
    const report said = report_of_primitive(device, words);
    if (options.strict && said.fallback) throw error("strict", "set", said.why);
    if constexpr (requires { device.workspace(std::size_t(0)); }) {
        const std::size_t bytes = library::workspace_bytes(device, args);
        if (options.plan) {
            options.plan->report = said;
            options.plan->workspace_bytes = max_of(options.plan->workspace_bytes, bytes);
            return said;
        }
        const auto place = reinterpret_cast<std::uintptr_t>(options.workspace);
        require(bytes == 0 || place % 256 == 0, "workspace", index(place % 256),
                "its address must be a multiple of 256 bytes");
        void* memory = bytes > 0 ? workspace_of(device, options, bytes, said.chosen + " needs") : nullptr;
        const auto alone = device.use();
        library::run(device, args, memory, bytes);
        return said;
    } else {
        throw error("device", device.name(), "a vendor's library can only be asked on a device that is here");
    }
}

}  // namespace FADE_NAMESPACE

// One call of a primitive: sized, planned or run, and reported.
#pragma once
#include <fade/backend/vendor/primitives.hpp>
#include <fade/core/require.hpp>
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <optional>

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

/// A primitive as an operation: the library launches for itself.
template <class Device, class Arguments>
class primitive_operation {
    using library = backend::primitive_library<Device>;

public:
    primitive_operation(Device& device, const primitive_words& words, const Arguments& args)
        : device_(device), args_(args), said_(report_of_primitive(device, words)) {}

    const report& said() const { return said_; }
    std::size_t workspace_bytes() {
        if (!bytes_) bytes_ = library::workspace_bytes(device_, args_);
        return *bytes_;
    }
    std::string what_needs() const { return said_.chosen + " needs"; }
    void place(void* memory) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        require(address % 256 == 0, "workspace", index(address % 256),
                "its address must be a multiple of 256 bytes");
        memory_ = memory;
    }
    void launch_itself(Device& device) { library::run(device, args_, memory_, workspace_bytes()); }

private:
    Device& device_;
    const Arguments& args_;
    report said_;
    std::optional<std::size_t> bytes_;  ///< as the library says, once it was asked
    void* memory_ = nullptr;
};

/// Runs what was checked. A workspace of the caller's begins at a multiple of 256 bytes.
template <class Arguments, class Device>
report run_primitive(Device& device, const primitive_words& words, const Arguments& args,
                     const operation_options& options) {
    if constexpr (launching_device<Device>) {
        primitive_operation<Device, Arguments> operation(device, words, args);
        return run_operation(device, operation, options);
    } else {
        throw error("device", device.name(), "a vendor's library can only be asked on a device that is here");
    }
}

}  // namespace FADE_NAMESPACE

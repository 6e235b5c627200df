// What differs between devices whose architecture is a type and those that learn it at run time.
#pragma once
#include <cstddef>
#include <fade/arch/arch_list.hpp>
#include <fade/arch/multiplies.hpp>
#include <fade/core/error.hpp>
#include <fade/core/tensor_map.hpp>
#include <fade/device/devices.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE {

/// The type of the device of a call, which must outlive what the call queues.
template <class Device>
struct named_device {
    static_assert(std::is_lvalue_reference_v<Device>,
                  "a temporary device would end before the work that is queued on it: give the device a "
                  "name, as in `fade::host_device cpu; fade::gemm<float>(cpu, ...)`");
    static_assert(
        !std::is_const_v<std::remove_reference_t<Device>>,
        "a call changes its device (it keeps memory for the next one): let the device not be const");
    using type = std::remove_cvref_t<Device>;
};
template <class Device>
using named_device_t = typename named_device<Device>::type;

/// Has this compiler the device at all? Where not, the call does not compile, and one sentence says why.
template <class Device>
constexpr bool is_reachable() {
    constexpr bool missing = requires { typename Device::missing_compiler; };
    static_assert(!missing,
                  "this compiler makes no code for that GPU: compile calls for AMD GPUs with clang++ -x hip "
                  "(fade_add_hip_executable of CMake), and those for NVIDIA GPUs with nvcc");
    return !missing;
}

/// Does the architecture of a device, where the compiler knows it, multiply In? Where not, it does not
/// compile. Pairs: for a call whose operands may have different types.
template <class Device, class In, bool Pairs = false>
constexpr bool multiplies_on() {
    constexpr bool allowed = Pairs || !is_operand_pair<In>;
    static_assert(allowed,
                  "of all products gemm alone takes operands of two types (operand_pair): convert one "
                  "to the type of the other");
    if constexpr (!allowed || !is_reachable<Device>() || !is_element<In>() || !arch::is_no_int<In>())
        return false;
    else if constexpr (requires { typename Device::arch; })
        return arch::multiplies<typename Device::arch, In>();
    else
        return true;
}

/// Calls f with the device's architecture as a value of its type.
template <class Device, class F>
void with_arch_of(const Device& device, F&& f) {
    if constexpr (requires { typename Device::arch; })
        f(typename Device::arch{});
    else
        device.with_arch(f);
}

/// Calls f with the device's architecture if it multiplies In. A device that learns its architecture at run
/// time may have one without this type; where it is known, the compiler says so.
template <class In, class Device, class F>
void with_multiplying_arch(const Device& device, F&& f) {
    with_arch_of(device, [&](auto a) {
        using arch_type = decltype(a);
        constexpr bool known = requires { typename Device::arch; };
        if constexpr (known || arch::has_atom<arch_type, In>)
            f(a);
        else
            throw error("dtype", input_name<In>(),
                        std::string(arch_type::traits.name) + " multiplies no such type");
    });
}

/// Has the device an architecture that copies boxes of tensors by maps? One that learns its architecture at
/// run time makes maps then.
template <class Device>
constexpr bool maps_tensors() {
    if constexpr (requires { typename Device::arch; })
        return Device::arch::traits.tensor_maps;
    else
        return requires(const Device& d, const tile_source& s) { d.map(s); };
}
template <class Device>
inline constexpr bool has_tensor_maps = maps_tensors<Device>();

/// Memory of `bytes` for a call: what its options give, or the device's own. `what_needs` begins the sentence
/// of a refusal: "copies of k and v need".
template <class Device, class Options>
void* workspace_of(Device& device, const Options& options, std::size_t bytes, const std::string& what_needs) {
    if (!options.workspace) return device.workspace(bytes);
    if (options.workspace_bytes < bytes)
        throw error("workspace_bytes", std::to_string(options.workspace_bytes),
                    what_needs + " " + std::to_string(bytes));
    return options.workspace;
}

/// What the vendor's runtime knows a kernel by; null on this CPU.
template <class Entry, class Device>
const void* entry_address(const Device&) {
    if constexpr (requires { Device::template entry_address<Entry>(); })
        return Device::template entry_address<Entry>();
    else
        return nullptr;
}

}  // namespace FADE_NAMESPACE

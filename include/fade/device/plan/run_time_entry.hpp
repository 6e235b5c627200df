// A kernel whose policy is a value: devices that compile when they launch have it, others launch entries.
#pragma once
#include <fade/core/launch.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// Does a device compile kernels of policies that its program does not hold?
template <class Device>
inline constexpr bool compiles_kernels = requires { Device::compiles_kernels; };

/// An entry, with the policy in whose place its own stands; null where that is its own.
template <class Entry, class Policy>
struct run_time_entry {
    using arguments = typename Entry::arguments;  ///< of a launch
    const Policy* policy;                         ///< lives until the launch
};

/// May a call of an entry's kind have a policy that the program has no kernel of?
template <class Entry, class Device>
constexpr bool compiles_for() {
    if constexpr (compiles_kernels<Device>)
        return Device::template compiles_entry<Entry>();
    else
        return false;
}

/// What a launch is given: the entry, or on a device that compiles the entry with a policy. `other`: the
/// policy is not the entry's own. The policy must live until the launch.
template <class Device, class Entry, class Policy>
constexpr auto entry_by(Entry entry, const Policy& policy, bool other) {
    if constexpr (compiles_for<Entry, Device>())
        return run_time_entry<Entry, Policy>{other ? &policy : nullptr};
    else
        return entry;
}

namespace detail {
/// Why a device cannot have the kernel that a launch names; empty where it has it, or had it all along.
template <class Device, class Entry>
std::string missing_kernel(const Device&, Entry) {
    return {};
}
template <class Device, class Entry, class Policy>
std::string missing_kernel(const Device& device, run_time_entry<Entry, Policy> entry) {
    return entry.policy ? device.template obstacle_of<Entry>(*entry.policy) : std::string();
}
}  // namespace detail

/// Why a device cannot have a kernel that an operation wants by a tuned row: what the compiler says, or that
/// there is none. Empty where it has all, which are compiled and loaded then.
template <class Device, class Operation>
std::string missing_kernels(const Device& device, const Operation& operation) {
    std::string why;
    if constexpr (compiles_kernels<Device>)
        operation.each_launch([&](auto entry, const auto&...) {
            if (why.empty()) why = detail::missing_kernel(device, entry);
        });
    return why;
}

/// Launches an entry, or what entry_by made of one.
template <class Device, class Entry>
void launch_entry(Device& device, Entry, grid_shape grid, const typename Entry::arguments& args) {
    device.template launch<Entry>(grid, args);
}
template <class Device, class Entry, class Policy>
void launch_entry(Device& device, run_time_entry<Entry, Policy> entry, grid_shape grid,
                  const typename Entry::arguments& args) {
    if (entry.policy)
        device.template launch_by<Entry>(*entry.policy, grid, args);
    else
        device.template launch<Entry>(grid, args);
}

}  // namespace FADE_NAMESPACE

// A runtime's reading joined with what the machine says of the device at the same PCI address.
#pragma once
#include <fade/device/live/address.hpp>
#include <fade/device/live/machine.hpp>
#include <string>

namespace FADE_NAMESPACE {

namespace live {

namespace detail {

/// Are two devices at one address alike in all that matters? Partitions of a card mostly are.
inline bool alike(const truth::kernel_reading& a, const truth::kernel_reading& b) {
    return a.simd_count && a.simd_count == b.simd_count && a.simd_per_cu == b.simd_per_cu &&
           a.num_xcc == b.num_xcc && a.gfx_target_version == b.gfx_target_version &&
           a.bank_bytes == b.bank_bytes;
}

}  // namespace detail

/// The readings of the device at that address. Partitions of a card share it: where they are alike the first
/// stands for each, else nothing is joined.
inline truth::readings at_address(const std::vector<truth::readings>& all, const std::string& address) {
    const truth::readings* found = nullptr;
    for (const truth::readings& r : all)
        if (!address.empty() && r.pci.slot && r.pci.slot->starts_with(address + ".")) {
            if (found && !detail::alike(found->kernel, r.kernel)) return {};
            if (!found) found = &r;
        }
    return found ? *found : truth::readings();
}

}  // namespace live

/// The truth about a device of a runtime: what the runtime says, and what the machine says of the device at
/// its address.
inline device_description describe_joined(const backend::device_reading& runtime,
                                          const std::vector<truth::readings>& machine) {
    truth::readings r = live::at_address(machine, live::address_of(runtime));
    r.runtime = runtime;
    live::read_environment(r),
        r.user = live::read_user(live::read_config(), r.pci.slot.value_or(live::slot_of(runtime)));
    device_description d = describe(r);
    if (d.slot.empty()) d.slot = live::address_of(runtime);
    return d;
}

/// What a selector of kernels counts on: the CUs that may be used; 0 where that is not known, which devices
/// take for their runtime's count.
inline int selector_units(const device_description& d) {
    return d.traits.usable_cu_count ? int(std::min<std::uint64_t>(*d.traits.usable_cu_count, 1 << 20)) : 0;
}
/// The same of what a runtime says, beside this machine.
inline int selector_units(const backend::device_reading& runtime) {
    return selector_units(describe_joined(runtime, live::read_machine()));
}

}  // namespace FADE_NAMESPACE

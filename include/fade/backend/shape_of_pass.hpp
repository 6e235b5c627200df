// The shape of an entry on the architecture of this compiler pass.
#pragma once
#include <fade/arch/current.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::backend {

/// The host pass has no use for a shape, and a kernel of one's own need not exist for the host.
template <class Entry, class Arch = arch::current>
constexpr launch_shape shape_of_pass() {
    if constexpr (arch::is_device_pass<Arch>)
        return Entry::template shape<Arch>();
    else
        return {.waves = 1, .shared_bytes = 16};
}

/// Lanes of a workgroup; in the host pass any number.
template <class Entry, class Arch = arch::current>
constexpr int lanes_of_pass() {
    if constexpr (arch::is_device_pass<Arch>)
        return shape_of_pass<Entry>().all_waves() * Arch::traits.wave_size;
    else
        return 32;
}

}  // namespace FADE_NAMESPACE::backend

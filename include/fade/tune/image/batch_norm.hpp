// Statistics of planes as something a device can launch: a workgroup a channel.
#pragma once
#include <fade/block/reduce_lanes.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/batch_norm/planes.hpp>

namespace FADE_NAMESPACE::tune {

template <class Arch>
constexpr launch_shape plane_shape() {
    constexpr int waves = Arch::traits.wave_size == 1 ? 1 : 512 / Arch::traits.wave_size;
    return {.waves = waves, .shared_bytes = block::lane_reduction_bytes(waves * Arch::traits.wave_size)};
}

template <class T>
struct plane_statistics_entry {
    using arguments = kernel::plane_statistics_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return plane_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::plane_statistics(block, args);
    }
};

template <class T>
struct plane_sums_entry {
    using arguments = kernel::plane_sums_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return plane_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::plane_sums(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

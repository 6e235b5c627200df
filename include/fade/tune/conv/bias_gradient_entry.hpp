// The gradient of a bias from planes as something a device can launch: a workgroup a filter.
#pragma once
#include <fade/block/reduce_lanes.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/bias_gradient.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out>
struct plane_totals_entry {
    using arguments = kernel::plane_totals_arguments<In, Out>;
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr int waves = Arch::traits.wave_size == 1 ? 1 : 512 / Arch::traits.wave_size;
        return {.waves = waves, .shared_bytes = block::lane_reduction_bytes(waves * Arch::traits.wave_size)};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::plane_totals(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

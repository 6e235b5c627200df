// Steps of an optimizer as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/optimizer/step.hpp>

namespace FADE_NAMESPACE::tune {

/// Workgroups of 256 lanes, which may fold a number each; a CPU's have one.
template <class Arch>
constexpr launch_shape optimizer_shape() {
    const int waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size;
    return {.waves = waves,
            .shared_bytes = max_of(16, block::lane_reduction_bytes(waves * Arch::traits.wave_size))};
}

enum class optimizer { sgd, adamw };

/// A lane takes runs of `Run` neighbouring parameters.
template <optimizer Kind, class Arguments, int Run>
struct optimizer_entry {
    using arguments = Arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return optimizer_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Kind == optimizer::sgd)
            kernel::sgd_body<Run>(block, args);
        else
            kernel::adamw_body<Run>(block, args);
    }
};

enum class nonfinite_step { find, join };

template <class T, nonfinite_step Step>
struct nonfinite_entry {
    using arguments = kernel::nonfinite_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return optimizer_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Step == nonfinite_step::find)
            kernel::find_nonfinite_body(block, args);
        else
            kernel::join_nonfinite_body(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

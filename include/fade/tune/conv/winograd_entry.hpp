// The transforms of Winograd convolutions as something a device can launch.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/winograd.hpp>

namespace FADE_NAMESPACE::tune {

/// Channels that an item has at once where all runs are whole: a lane's registers hold one tile of one
/// channel, and a CPU's vectors several.
template <bool OnHost>
inline constexpr int winograd_run = OnHost ? 8 : 1;

/// A transform, which `Leaf` is the kernel of; a workgroup has so many items.
template <class Leaf, class Arguments, int Items>
struct transform_entry {
    using arguments = Arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : Items / Arch::traits.wave_size,
                .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Block::wave_size == 1)
            atom::with_vectors<Leaf>(&block, &args);
        else
            Leaf::template apply<16>(&block, &args);
    }
};

/// `Gradients`: those of y, which the filter's gradient needs.
template <class In, int M, int Run, bool Gradients>
using winograd_pixels_entry = transform_entry<kernel::winograd_pixels_leaf<M, Run, Gradients>,
                                              kernel::winograd_pixels_arguments<In>, kernel::winograd_items>;
template <class In, int M>
using winograd_taps_entry = transform_entry<kernel::winograd_taps_leaf<M>,
                                            kernel::winograd_taps_arguments<In>, kernel::winograd_items>;
template <class In, class Out, int M, int Run, class Epilogue>
using winograd_sums_entry =
    transform_entry<kernel::winograd_sums_leaf<M, Run>, kernel::winograd_sums_arguments<In, Out, Epilogue>,
                    kernel::winograd_items>;
template <class In, class Out, int M, int Run, class Epilogue>
using winograd_output_entry =
    transform_entry<kernel::winograd_output_leaf<M, Run>,
                    kernel::winograd_output_arguments<In, Out, Epilogue>, kernel::winograd_items>;

}  // namespace FADE_NAMESPACE::tune

// The steps of a mixture of experts as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/moe/combine.hpp>
#include <fade/kernel/moe/dispatch.hpp>

namespace FADE_NAMESPACE::tune {

/// Workgroups of 256 lanes; a CPU's have one.
template <class Arch>
constexpr int waves_of_256() {
    return Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size;
}

struct moe_dispatch_entry {
    using arguments = kernel::moe_dispatch_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr int waves = waves_of_256<Arch>();
        return {.waves = waves, .shared_bytes = block::sort_bucket_bytes(waves * Arch::traits.wave_size)};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::moe_dispatch_body(block, args);
    }
};

/// `Run` elements at once, which want aligned rows of whole runs.
template <class In, class Out, int Run>
struct moe_combine_entry {
    using arguments = kernel::moe_combine_arguments<In, Out>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = waves_of_256<Arch>(), .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::moe_combine_body<Run>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

// Operators over images as something a device can launch: each item makes a run of channels of one pixel.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/pool/body.hpp>

namespace FADE_NAMESPACE::tune {

/// Workgroups of 256 lanes; a CPU's have one.
template <class Arch>
constexpr launch_shape image_shape() {
    return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16};
}

enum class pool_kind { max, max_gradient, avg, avg_gradient };

template <pool_kind Kind, class T, int Run>
struct pool_entry {
    using arguments = kernel::pool_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return image_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using enum pool_kind;
        if constexpr (Kind == max) kernel::max_pool_body<Run>(block, args);
        if constexpr (Kind == max_gradient) kernel::max_pool_gradient_body<Run>(block, args);
        if constexpr (Kind == avg) kernel::avg_pool_body<Run>(block, args);
        if constexpr (Kind == avg_gradient) kernel::avg_pool_gradient_body<Run>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

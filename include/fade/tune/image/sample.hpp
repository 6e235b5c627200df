// Resampling as something a device can launch.
#pragma once
#include <fade/kernel/sample/grid.hpp>
#include <fade/kernel/sample/upsample.hpp>
#include <fade/tune/image/entry.hpp>

namespace FADE_NAMESPACE::tune {

template <bool Gradient, class T, int Run>
struct upsample_entry {
    using arguments = kernel::upsample_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return image_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Gradient)
            kernel::upsample_gradient_body<Run>(block, args);
        else
            kernel::upsample_body<Run>(block, args);
    }
};

enum class grid_sample_kind { forward, gradient_of_x, gradient_of_grid };

template <grid_sample_kind Kind, class T, int Run>
struct grid_sample_entry {
    using arguments = kernel::grid_sample_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return image_shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using enum grid_sample_kind;
        if constexpr (Kind == forward) kernel::grid_sample_body<Run>(block, args);
        if constexpr (Kind == gradient_of_x) kernel::grid_sample_gradient_of_x<Run>(block, args);
        if constexpr (Kind == gradient_of_grid) kernel::grid_sample_gradient_of_grid(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

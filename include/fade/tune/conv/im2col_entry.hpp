// The launches of im2col and col2im as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/im2col.hpp>

namespace FADE_NAMESPACE::tune {

/// Lanes that have an item each.
template <class Arch>
constexpr launch_shape shape_of_items() {
    return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16};
}

template <class In, int Run>
struct im2col_entry {
    using arguments = kernel::im2col_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::im2col<Run>(block, args);
    }
};

template <class In, class Out, class Epilogue>
struct col2im_entry {
    using arguments = kernel::col2im_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::col2im(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

// The launches that find what sums owe to zero points, as something a device can launch.
#pragma once
#include <fade/kernel/conv/zero_points.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

struct channel_sums_entry {
    using arguments = kernel::channel_sums_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::sum_channels(block, args);
    }
};

struct zero_terms_entry {
    using arguments = kernel::zero_terms_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::make_zero_terms(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

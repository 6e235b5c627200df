// The launch that lays a filter out whose taps become channels.
#pragma once
#include <fade/kernel/conv/folded.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class In>
struct folded_filter_entry {
    using arguments = kernel::fold_filter_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::lay_folded(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

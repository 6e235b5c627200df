// The launches beside the product of backward data whose parts lie beside each other.
#pragma once
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/conv/beside.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class In>
struct beside_filter_entry {
    using arguments = kernel::beside_filter_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::lay_beside(block, args);
    }
};

template <class In, class Out, class Epilogue>
struct beside_sums_entry {
    using arguments = kernel::beside_sums_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        epilogue::observed(args, [&](const arguments& own) { kernel::finish_beside(block, own); });
    }
};

}  // namespace FADE_NAMESPACE::tune

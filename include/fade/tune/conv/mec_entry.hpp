// The launches of mec beside its product as something a device can launch.
#pragma once
#include <fade/kernel/conv/mec.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class In>
struct mec_entry {
    using arguments = kernel::mec_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::lay_lines(block, args);
    }
};

template <class In, class Out, class Epilogue>
struct mec_sums_entry {
    using arguments = kernel::mec_sums_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::finish_mec_sums(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

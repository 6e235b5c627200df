// The launches of mec beside its product, and the one that pads filters, as something a device can launch.
#pragma once
#include <fade/kernel/conv/mec.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class In>
struct columns_entry {
    using arguments = kernel::columns_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::lay_columns(block, args);
    }
};

template <class In>
grid_shape grid_of_columns(const kernel::columns_arguments<In>& args) {
    const index runs = args.of_images.count + args.of_filters.count;
    return {int(ceil_div<index>(runs, kernel::column_runs_at_once)), 1, 1};
}

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

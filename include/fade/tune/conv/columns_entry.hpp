// The launches of mec beside its product, and the one that pads filters, as something a device can launch.
#pragma once
#include <fade/kernel/conv/mec.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE::tune {

/// Of taps of so many channels; 0: any.
template <class In, int Channels>
struct columns_entry {
    using arguments = kernel::columns_arguments<In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return shape_of_items<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::lay_columns<Channels>(block, args);
    }
};

/// Calls f(entry, grid, arguments) with what lays out images, filters or both, of so many channels: those of
/// colours have a kernel of their own.
template <class In, class F>
void launch_columns(F& f, kernel::columns_arguments<In> args, int channels) {
    const auto launch = [&]<int Channels>() {
        for (auto& of : args.of)
            of.workgroups =
                int(ceil_div<index>(kernel::column_items_of<Channels>(of.layout), kernel::column_items));
        f(columns_entry<In, Channels>{}, grid_shape{args.of[0].workgroups + args.of[1].workgroups, 1, 1},
          args);
    };
    if (channels == 3)
        launch.template operator()<3>();
    else
        launch.template operator()<0>();
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

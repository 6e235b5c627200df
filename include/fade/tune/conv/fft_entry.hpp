// The transforms of convolutions by Fourier transforms as something a device can launch.
#pragma once
#include <fade/kernel/conv/fft.hpp>
#include <fade/tune/conv/winograd_entry.hpp>

namespace FADE_NAMESPACE::tune {

/// Lines of pixels of `Source` (fft_images or fft_filters), T long, to half-made spectra.
template <class Source, int T, int Run>
using fft_lines_entry =
    transform_entry<kernel::fft_lines_leaf<T, Run>, kernel::fft_lines_arguments<Source>, kernel::fft_items>;
template <int T, int Run>
using fft_columns_entry =
    transform_entry<kernel::fft_columns_leaf<T, Run>, kernel::fft_columns_arguments, kernel::fft_items>;
template <int T, int Run>
using fft_planes_entry =
    transform_entry<kernel::fft_planes_leaf<T, Run>, kernel::fft_planes_arguments, kernel::fft_items>;
template <int T, int Run>
using fft_back_columns_entry = transform_entry<kernel::fft_back_columns_leaf<T, Run>,
                                               kernel::fft_back_columns_arguments, kernel::fft_items>;
template <int T, int Run>
using fft_back_lines_entry =
    transform_entry<kernel::fft_back_lines_leaf<T, Run>, kernel::fft_back_lines_arguments, kernel::fft_items>;
/// `Arguments` are those of images or of taps.
template <class Arguments, int Run>
using fft_finish_entry = transform_entry<kernel::fft_finish_leaf<Run>, Arguments, kernel::fft_items>;

}  // namespace FADE_NAMESPACE::tune

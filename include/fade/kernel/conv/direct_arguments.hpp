// What a launch of a direct convolution is given: depthwise, where each filter sees one channel.
#pragma once
#include <cstdint>
#include <fade/kernel/conv/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Pixels of a line that an item makes, so that what it reads of the filter serves them all.
inline constexpr int direct_pixels = 4;
/// Items of a workgroup.
inline constexpr int direct_items = 256;
/// Pixels of a line of y that backward weights shares among workgroups as one.
inline constexpr int direct_segment = 256;

/// A and B name what the pass reads, as in implicit products. Rows and columns of D, m and n, are pixels and
/// channels, or filters and taps.
template <class In, class Out, class Epilogue>
struct direct_arguments : gemm_arguments<In, Out, Epilogue> {
    conv_sizes sizes;
    bool channels_first;
    int shares;                    ///< workgroups of an image, or of all elements of the filter
    index filter_row, filter_tap;  ///< elements from filter to filter, and from tap to tap
    int segments;                  ///< of y's lines, for one of those that share them
};

/// Where the elements of a packed image lie.
struct image_order {
    index elements;  ///< of an image
    int pixel, channel;

    FADE_FN image_order(const spatial& size, index channels, bool channels_first)
        : elements(size.volume() * channels), pixel(channels_first ? 1 : int(channels)),
          channel(channels_first ? int(size.volume()) : 1) {}
    /// Pixel `number` of a line that begins at `line`; of those beside the image, no matter what.
    FADE_FN std::uint32_t beside(int line, int number) const {
        return std::uint32_t(line) + std::uint32_t(number) * std::uint32_t(pixel);
    }
    FADE_FN int at(int pixel_of, int channel_of) const { return pixel_of * pixel + channel_of * channel; }
};

FADE_FN constexpr spatial input_size_of(const conv_sizes& s) { return {s.d.input, s.h.input, s.w.input}; }
FADE_FN constexpr spatial output_size_of(const conv_sizes& s) { return {s.d.output, s.h.output, s.w.output}; }

/// The items of an image: runs of channels, and of each line of the grid pixels that lie `runs` apart.
/// Neighbouring items lie side by side in memory.
struct direct_grid {
    int lines, runs, channel_runs;
    bool channels_first;

    FADE_FN direct_grid(const block::window_view& v, int channel_runs_, bool first)
        : lines(v.d.grid * v.h.grid), runs(ceil_div(v.w.grid, direct_pixels)), channel_runs(channel_runs_),
          channels_first(first) {}
    FADE_FN index count() const { return index(lines) * runs * channel_runs; }

    struct item {
        int line, run, channel_run;
    };
    FADE_FN item of(int number) const {
        const auto n = std::uint32_t(number), width = std::uint32_t(runs), height = std::uint32_t(lines),
                   depth = std::uint32_t(channel_runs);
        if (channels_first) {
            const std::uint32_t line = n / width;
            return {int(line % height), int(n % width), int(line / height)};
        }
        const std::uint32_t pixel = n / depth;
        return {int(pixel / width), int(pixel % width), int(n % depth)};
    }
};

}  // namespace FADE_NAMESPACE::kernel

// What the first transform of a convolution by Fourier transforms reads: lines of images and of filters.
#pragma once
#include <fade/core/call/spatial.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/conv/channel_values.hpp>
#include <fade/kernel/conv/image_tiles.hpp>

namespace FADE_NAMESPACE::kernel {

/// Tiles or filters whose spectra are made or were. A line of T pixels has T / 2 + 1 complex values. Channels
/// are padded to whole runs.
struct fft_block {
    index count;             ///< of tiles, or filters
    int lines;               ///< of each
    int spectrum;            ///< complex values of a line
    int channels, in_whole;  ///< those that there are, and with those behind the last run

    /// Half-made spectra are [tile][line][complex value][real, imaginary][channel].
    FADE_FN index line_at(index tile, index line, int value) const {
        return (((tile * lines + line) * spectrum + value) * 2) * in_whole;
    }
    /// From one element of spectra for products to the next: an odd number of cache lines, so that a column's
    /// do not all share a set of the cache.
    static FADE_FN constexpr index plane(index count, index width) {
        constexpr int cache_line = 16;
        return (ceil_div<index>(count * width, cache_line) | 1) * cache_line;
    }
    FADE_FN index plane() const { return plane(count, in_whole); }
    FADE_FN index line_items(int run) const { return count * lines * (in_whole / run); }
    FADE_FN index column_items(int run) const { return count * spectrum * (in_whole / run); }
};

/// Tiles of images; beyond the image, and beyond the part of a tile that is read, lie zeros.
template <class In>
struct fft_images {
    const In* at;
    volume_tiles tiles;
    spatial read;        ///< of a tile
    int lines_of_plane;  ///< of a block, some of which may lie behind those that are read
    bool whole;          ///< runs of channels lie at their alignment, and the last one is whole
};

/// Filters of the rows of a product, which read channels of their group. Backward data makes the channels of
/// x and reads those of dy, through filters that are rotated by half a circle.
template <class In>
struct fft_filters {
    const In* at;
    index from_made, from_read, from_tap;  ///< elements from one to the next
    int made_in_group;
    index from_group;
    spatial taps, dilation;
    int lines_of_plane;
    bool rotated;
};

/// What a line of a source gives, pixel by pixel.
template <int Run, class In>
class fft_image_line {
public:
    FADE_FN fft_image_line(const fft_images<In>& from, const fft_block& block, index tile, int line,
                           int channel)
        : pixel_(block.channels), left_(block.channels - channel), whole_(from.whole) {
        const volume_tiles& t = from.tiles;
        const volume_tiles::place at = t.at(tile);
        const int plane = line / from.lines_of_plane, row = line - plane * from.lines_of_plane,
                  d = t.start_d + at.plane * t.step_d + plane, h = t.start_h + at.row * t.step_h + row,
                  w = t.start_w + at.column * t.step_w;
        first_ = w < 0 ? -w : 0, end_ = min_of(from.read.w, t.image_w - w);
        if (row >= from.read.h || h < 0 || h >= t.image_h) end_ = 0;
        if (plane >= from.read.d || d < 0 || d >= t.image_d) end_ = 0;
        at_ = from.at + channel;
        first_pixel_ = ((at.image * t.image_d + d) * t.image_h + h) * t.image_w + w;
    }
    FADE_FN channel_values<Run> next(int j) const {
        channel_values<Run> out{};
        if (j < first_ || j >= end_) return out;
        const In* const from = at_ + (first_pixel_ + j) * pixel_;
        if (whole_) {
            const auto run = *reinterpret_cast<const vec<In, Run>*>(from);
            unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = convert<float>(run[e]); });
        } else {
            unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = e < left_ ? convert<float>(from[e]) : 0.0f; });
        }
        return out;
    }

private:
    index pixel_, first_pixel_;
    const In* at_;
    int first_, end_, left_;
    bool whole_;
};

template <int Run, class In>
class fft_filter_line {
public:
    FADE_FN fft_filter_line(const fft_filters<In>& from, const fft_block& block, index made, int line,
                            int channel)
        : step_(from.rotated ? -from.from_tap : from.from_tap), from_read_(from.from_read),
          taps_(from.taps.w), apart_(from.dilation.w) {
        const index group = made / from.made_in_group, in_group = made - group * from.made_in_group;
        const int plane = line / from.lines_of_plane, row = line - plane * from.lines_of_plane,
                  tap_d = plane / from.dilation.d, tap = row / from.dilation.h;
        const bool has_taps = tap_d * from.dilation.d == plane && tap_d < from.taps.d &&
                              tap * from.dilation.h == row && tap < from.taps.h;
        left_ = has_taps ? block.channels - channel : 0;
        const int d = from.rotated ? from.taps.d - 1 - tap_d : tap_d,
                  h = from.rotated ? from.taps.h - 1 - tap : tap, w = from.rotated ? from.taps.w - 1 : 0;
        // A line without taps reads those of the first one, and drops them: lanes need no branch each.
        at_ = from.at + w * from.from_tap;
        if (has_taps)
            at_ += group * from.from_group + in_group * from.from_made + channel * from.from_read +
                   (index(d) * from.taps.h + h) * from.taps.w * from.from_tap;
    }
    FADE_FN channel_values<Run> next(int) {
        channel_values<Run> out{};
        if (--until_tap_ > 0 || taps_ == 0) return out;  // the same for all lanes
        unrolled<Run>([&](int e) FADE_LAMBDA {
            const bool there = e < left_;
            const float tap = convert<float>(at_[there ? e * from_read_ : 0]);
            out.of[e] = there ? tap : 0.0f;
        });
        until_tap_ = apart_, at_ += step_, --taps_;
        return out;
    }

private:
    index step_, from_read_;
    const In* at_;
    int taps_, apart_, left_, until_tap_ = 1;
};

template <int Run, class In>
FADE_FN auto fft_line_of(const fft_images<In>& from, const fft_block& block, index tile, int line,
                         int channel) {
    return fft_image_line<Run, In>(from, block, tile, line, channel);
}
template <int Run, class In>
FADE_FN auto fft_line_of(const fft_filters<In>& from, const fft_block& block, index made, int line,
                         int channel) {
    return fft_filter_line<Run, In>(from, block, made, line, channel);
}

}  // namespace FADE_NAMESPACE::kernel

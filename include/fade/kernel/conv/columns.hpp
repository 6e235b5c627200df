// Columns of images: the pixels that windows see above one another, laid side by side, with zeros behind them
// up to a whole number of 16-byte runs.
#pragma once
#include <cstdint>
#include <fade/block/schedule/run.hpp>
#include <fade/core/number/divisor.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Runs of 16 bytes that a workgroup lays out.
inline constexpr int column_runs_at_once = 1024;

/// Elements from one pixel of an image to the next, and from channel to channel.
struct pixel_steps {
    index pixel, channel;
};
inline pixel_steps steps_of(conv_layout layout, index pixels, index channels) {
    return layout == conv_layout::channels_last ? pixel_steps{channels, 1} : pixel_steps{1, pixels};
}

/// How a column of `channels` at each of some taps is padded.
constexpr int padded_column(int channels, int bytes) { return ceil_div(channels, 16 / bytes) * (16 / bytes); }

/// Which columns of images are laid out: [image][place along d][place along h][column along w][channel of a
/// tap along d and h]. Counts of runs are below 2^31.
struct column_layout {
    block::axis d, h;
    int width = 1, first = 0;  ///< of an image's lines; which pixel of one the first column is
    int channels = 0;
    index image = 0;  ///< elements from one image to the next
    pixel_steps steps{};
    index count = 0;  ///< runs in all
    divisor runs, columns, places_h, places_d, of_channels, taps_h;

    column_layout() = default;
    /// `columns_` of a line, of images whose lines are along `w`.
    column_layout(const block::axis& d_, const block::axis& h_, const block::axis& w, int channels_,
                  index images, index columns_, const pixel_steps& steps_, int bytes)
        : d(d_), h(h_), width(w.image), first(w.start), channels(channels_),
          image(index(d_.image) * h_.image * w.image * channels_), steps(steps_),
          runs(std::uint32_t(padded_column(d_.taps * h_.taps * channels_, bytes) * bytes / 16)),
          columns(std::uint32_t(columns_)), places_h(std::uint32_t(h_.grid)),
          places_d(std::uint32_t(d_.grid)), of_channels(std::uint32_t(channels_)),
          taps_h(std::uint32_t(h_.taps)) {
        count = images * d.grid * h.grid * columns_ * runs.by();
    }
};

/// What one launch lays out: columns of images, and those of filters if there are any.
template <class In>
struct columns_arguments {
    const In* images = nullptr;
    In* to_images = nullptr;
    column_layout of_images{};
    const In* filters = nullptr;
    In* to_filters = nullptr;
    column_layout of_filters{};
};

template <class In>
FADE_FN void lay_run(const column_layout& l, const In* from, In* to, std::uint32_t number) {
    constexpr int run = 16 / int(sizeof(In));
    const std::uint32_t column = l.runs.quotient(number), begin = (number - column * l.runs.by()) * run,
                        tap = l.of_channels.quotient(begin), line = l.columns.quotient(column),
                        plane = l.places_h.quotient(line), image = l.places_d.quotient(plane);
    int channel = int(begin - tap * l.of_channels.by()), d = int(l.taps_h.quotient(tap)),
        h = int(tap) - d * l.h.taps;
    const int place_h = int(line - plane * l.places_h.by()), place_d = int(plane - image * l.places_d.by()),
              w = int(column - line * l.columns.by()) + l.first;
    const bool in_line = w >= 0 && w < l.width;
    int at_h = l.h.coordinate(place_h, h), at_d = l.d.coordinate(place_d, d);
    const In* const of_image = from + image * l.image;
    vec<In, run> out{};
    unrolled<run>([&](int e) FADE_LAMBDA {
        if (in_line && d < l.d.taps && l.h.holds(at_h) && l.d.holds(at_d)) {
            const index pixel = (index(at_d) * l.h.image + at_h) * l.width + w;
            out[e] = of_image[pixel * l.steps.pixel + channel * l.steps.channel];
        }
        const bool next_tap = ++channel == l.channels;
        channel = next_tap ? 0 : channel;
        h += next_tap, at_h += next_tap ? l.h.tap_step : 0;
        const bool next_plane = h == l.h.taps;
        h = next_plane ? 0 : h, at_h = next_plane ? l.h.coordinate(place_h, 0) : at_h;
        d += next_plane, at_d += next_plane ? l.d.tap_step : 0;
    });
    *reinterpret_cast<vec<In, run>*>(to + index(number) * run) = out;
}

template <workgroup Block, class In>
FADE_FN void lay_columns(Block& block, const columns_arguments<In>& args) {
    const index images = args.of_images.count, all = images + args.of_filters.count;
    for (const block::run_work& work : block::run_schedule(block, all, column_runs_at_once))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            if (item < images)
                lay_run(args.of_images, args.images, args.to_images, std::uint32_t(item));
            else
                lay_run(args.of_filters, args.filters, args.to_filters, std::uint32_t(item - images));
        });
}

/// Columns of x as windows see them, those of a filter in the same order, and a filter as one line of taps.
inline column_layout columns_of_images(const conv_problem& p, const conv_sizes& s, index columns, int bytes) {
    return {block::forward_axis(s.d),
            block::forward_axis(s.h),
            block::forward_axis(s.w),
            s.channels,
            s.batch,
            columns,
            steps_of(p.layout, p.input.volume(), s.channels),
            bytes};
}
inline column_layout columns_of_filters(const conv_problem& p, const conv_sizes& s, int bytes) {
    const auto whole = [](int taps) { return block::axis{.image = taps, .taps = taps}; };
    return {whole(s.d.filter),
            whole(s.h.filter),
            whole(s.w.filter),
            s.channels,
            s.filters,
            s.w.filter,
            steps_of(p.layout, s.taps(), s.channels),
            bytes};
}
inline column_layout padded_taps(const conv_problem& p, const conv_sizes& s, int bytes) {
    const block::axis single{}, taps{.image = s.taps()};
    return {single, single, taps, s.channels, s.filters, s.taps(), steps_of(p.layout, s.taps(), s.channels),
            bytes};
}

}  // namespace FADE_NAMESPACE::kernel

// Columns of images: the pixels that windows see above one another, laid side by side, with zeros behind them
// up to a whole number of 16-byte runs.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/block/schedule/run.hpp>
#include <fade/core/number/divisor.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Columns, or their runs of 16 bytes, that a workgroup lays out.
inline constexpr int column_items = 512;

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
    bool whole_runs = false;  ///< is each run of 16 bytes of one tap, whose channels lie beside each other?
    index count = 0;          ///< columns in all
    divisor runs, columns, places_h, places_d, of_channels, taps_h;

    column_layout() = default;
    /// `columns_` of a line, of images whose lines are along `w`.
    column_layout(const block::axis& d_, const block::axis& h_, const block::axis& w, int channels_,
                  index images, index columns_, const pixel_steps& steps_, int bytes)
        : d(d_), h(h_), width(w.image), first(w.start), channels(channels_),
          image(index(d_.image) * h_.image * w.image * channels_), steps(steps_),
          whole_runs(steps_.channel == 1 && channels_ * bytes % 16 == 0),
          runs(std::uint32_t(padded_column(d_.taps * h_.taps * channels_, bytes) * bytes / 16)),
          columns(std::uint32_t(columns_)), places_h(std::uint32_t(h_.grid)),
          places_d(std::uint32_t(d_.grid)), of_channels(std::uint32_t(channels_)),
          taps_h(std::uint32_t(h_.taps)) {
        count = images * d.grid * h.grid * columns_;
    }
};

/// Columns of images, and where they are laid out.
template <class In>
struct laid_columns {
    const In* from = nullptr;
    In* to = nullptr;
    column_layout layout{};
    int workgroups = 0;  ///< of the launch: set by who launches
};

/// What one launch lays out: columns of images, and those of filters if there are any.
template <class In>
struct columns_arguments {
    laid_columns<In> of[2];
};

/// Where the channels of a tap begin; where zeros lie for them, those of the first pixel, so that loads need
/// no branch that each would wait for.
template <class In>
struct column_tap {
    const In* at;
    bool there;
    FADE_FN In channel(index offset) const {
        const In found = at[offset];
        return there ? found : In{};
    }
    /// Channels beside each other, at an address that is a multiple of their bytes.
    template <int Run>
    FADE_FN vec<In, Run> run(int first) const {
        const auto found = *reinterpret_cast<const vec<In, Run>*>(at + first);
        return there ? found : vec<In, Run>{};
    }
};

/// Walks over the taps of a column.
template <class In>
class column_walk {
public:
    FADE_FN column_walk(const column_layout& l, const In* from, std::uint32_t column, int tap)
        : layout_(&l), from_(from), d_(int(l.taps_h.quotient(std::uint32_t(tap)))), h_(tap - d_ * l.h.taps) {
        const std::uint32_t line = l.columns.quotient(column), plane = l.places_h.quotient(line),
                            image = l.places_d.quotient(plane);
        place_h_ = int(line - plane * l.places_h.by()), place_d_ = int(plane - image * l.places_d.by());
        const int w = int(column - line * l.columns.by()) + l.first;
        in_line_ = w >= 0 && w < l.width;
        of_column_ = from + image * l.image + w * l.steps.pixel;
    }
    FADE_FN column_tap<In> tap() const {
        const column_layout& l = *layout_;
        const int h = l.h.coordinate(place_h_, h_), d = l.d.coordinate(place_d_, d_);
        const bool in_plane = l.h.holds(h), in_image = l.d.holds(d),
                   there = in_line_ & (d_ < l.d.taps) & in_plane & in_image;
        return {there ? of_column_ + (index(d) * l.h.image + h) * l.width * l.steps.pixel : from_, there};
    }
    FADE_FN void next() {
        const bool plane = ++h_ == layout_->h.taps;
        h_ = plane ? 0 : h_, d_ += plane;
    }

private:
    const column_layout* layout_;
    const In* from_;
    int d_, h_, place_h_, place_d_;
    bool in_line_;
    const In* of_column_;
};

/// Is each run of 16 bytes a run of x's, too?
template <class In>
FADE_FN bool has_whole_runs(const column_layout& l, const In* from) {
    return l.whole_runs && reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
}

/// Lays out a run of a column.
template <class In>
FADE_FN void lay_run(const column_layout& l, const In* from, In* to, std::uint32_t number) {
    constexpr int run = 16 / int(sizeof(In));
    const std::uint32_t column = l.runs.quotient(number), begin = (number - column * l.runs.by()) * run,
                        tap = l.of_channels.quotient(begin);
    column_walk<In> walk(l, from, column, int(tap));
    int channel = int(begin - tap * l.of_channels.by());
    column_tap<In> at = walk.tap();
    auto& there = *reinterpret_cast<vec<In, run>*>(to + index(number) * run);
    if (has_whole_runs(l, from)) {
        there = at.template run<run>(channel);
        return;
    }
    vec<In, run> out{};
    unrolled<run>([&](int e) FADE_LAMBDA {
        out[e] = at.channel(channel * l.steps.channel);
        if (++channel < l.channels) return;
        channel = 0, walk.next(), at = walk.tap();
    });
    there = out;
}

/// Lays out runs of columns that are runs of x, too: those of a tap at once.
template <class In>
FADE_FN void lay_whole_runs(const column_layout& l, const In* from, In* to, index first, index end) {
    constexpr int run = 16 / int(sizeof(In));
    index count = 0;
    for (index at = first; at < end; at += count) {
        const std::uint32_t column = l.runs.quotient(std::uint32_t(at)),
                            begin = (std::uint32_t(at) - column * l.runs.by()) * run,
                            tap = l.of_channels.quotient(begin), channel = begin - tap * l.of_channels.by();
        count = min_of<index>((l.channels - int(channel)) / run, end - at);
        const column_tap<In> found = column_walk<In>(l, from, column, int(tap)).tap();
        if (found.there)
            std::memcpy(to + at * run, found.at + channel, std::size_t(count) * 16);
        else
            std::memset(to + at * run, 0, std::size_t(count) * 16);
    }
}

/// Lays out a column whose taps have so many channels: as many taps at once as a run has elements.
template <int Channels, class In>
FADE_FN void lay_column(const column_layout& l, const In* from, In* to, std::uint32_t column) {
    constexpr int run = 16 / int(sizeof(In));
    const auto runs = int(l.runs.by());
    column_walk<In> walk(l, from, column, 0);
    auto* const out = reinterpret_cast<vec<In, run>*>(to + index(column) * runs * run);
    FADE_ROLLED
    for (int first = 0; first < runs; first += Channels) {
        vec<In, run> found[Channels]{};
        unrolled<run>([&](int tap) FADE_LAMBDA {
            const column_tap<In> at = walk.tap();
            unrolled<Channels>([&](int c) FADE_LAMBDA {
                const int element = tap * Channels + c;
                found[element / run][element % run] = at.channel(c * l.steps.channel);
            });
            walk.next();
        });
        unrolled<Channels>([&](int i) FADE_LAMBDA {
            if (first + i < runs) out[first + i] = found[i];
        });
    }
}

/// Lays out a column of taps of `Channels`, or, where that is 0, a run of one of any channels.
template <int Channels, class In>
FADE_FN void lay_item(const column_layout& l, const In* from, In* to, index item) {
    if constexpr (Channels > 0)
        lay_column<Channels>(l, from, to, std::uint32_t(item));
    else
        lay_run(l, from, to, std::uint32_t(item));
}

/// Columns, or their runs.
template <int Channels>
FADE_FN index column_items_of(const column_layout& l) {
    return l.count * (Channels > 0 ? 1 : l.runs.by());
}

template <int Channels, workgroup Block, class In>
FADE_FN void lay_items(Block& block, const laid_columns<In>& of, const block::run_work& work) {
    if constexpr (Channels == 0 && block::one_lane<Block>)
        if (has_whole_runs(of.layout, of.from))
            return lay_whole_runs(of.layout, of.from, of.to, work.first, work.end);
    block::each_of(block, work.items(),
                   [&](index item) FADE_LAMBDA { lay_item<Channels>(of.layout, of.from, of.to, item); });
}

template <int Channels, workgroup Block, class In>
FADE_FN void lay_columns(Block& block, const columns_arguments<In>& args) {
    const int before = args.of[0].workgroups, which = block.id_x() >= before;
    const laid_columns<In>& of = args.of[which];
    const index first = index(block.id_x() - which * before) * column_items;
    for (const block::run_work& work :
         block::run_schedule(first, column_items_of<Channels>(of.layout), column_items, 0, 0))
        lay_items<Channels>(block, of, work);
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
/// So many images of so many pixels, each a run of channels.
inline column_layout padded_pixels(index images, index pixels, int channels, const pixel_steps& steps,
                                   int bytes) {
    const block::axis single{}, line{.image = int(pixels)};
    return {single, single, line, channels, images, pixels, steps, bytes};
}
/// Taps of filters, behind those of each group zeros up to `filters`; where that is more than there are, they
/// lie with channels last.
inline column_layout padded_taps(const conv_problem& p, const conv_sizes& s, int filters, int bytes) {
    const conv_layout layout = filters == s.filters ? p.layout : conv_layout::channels_last;
    const block::axis single{}, line{.image = s.taps()}, rows{.image = s.filters, .grid = filters};
    const pixel_steps steps = steps_of(layout, s.taps(), s.channels);
    if (layout == conv_layout::channels_last)
        return {rows, single, line, s.channels, s.groups, s.taps(), steps, bytes};
    return padded_pixels(index(s.filters) * s.groups, s.taps(), s.channels, steps, bytes);
}

}  // namespace FADE_NAMESPACE::kernel

// MEC (Cho and Brand, Memory-efficient Convolution for Deep Neural Network, 2017): the windows of a line of
// pixels of y are laid out column after column, and neighbours share the columns in which they overlap.
#pragma once
#include <fade/block/schedule/run.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/combine.hpp>

namespace FADE_NAMESPACE::kernel {

/// Columns that a workgroup lays out.
inline constexpr int columns_at_once = 256;

/// How x lies by lines: [line of y][column], a column of x being its pixels that the line's windows see, tap
/// after tap along d and h, with zeros up to a whole number of 16-byte runs. Filters lie in the same way:
/// [filter][tap along w], each a column. Windows stand `stride` columns apart.
struct line_shape {
    int column;        ///< elements of a column
    index columns;     ///< of a line
    index lines;       ///< of all images of y
    int window, step;  ///< columns of a window, and from one window to the next

    FADE_FN constexpr index elements() const { return lines * columns * column; }
    FADE_FN constexpr index row() const { return index(window) * column; }  ///< elements of a window
};

inline line_shape line_shape_of(const conv_sizes& s, int bytes) {
    const int run = 16 / bytes, channels = s.d.filter * s.h.filter * s.channels;
    // Whole windows' distances, so that pixels of all lines lie at equal distances.
    const index windows = s.w.output - 1 + ceil_div<index>(s.w.filter, s.w.stride);
    return {.column = ceil_div(channels, run) * run,
            .columns = windows * s.w.stride,
            .lines = index(s.batch) * s.d.output * s.h.output,
            .window = s.w.filter,
            .step = s.w.stride};
}

/// A filter as one line of taps, each a column.
inline conv_sizes taps_in_line(conv_sizes s) {
    s.w.filter = s.taps(), s.d.filter = s.h.filter = 1;
    return s;
}
inline line_shape padded_taps(const conv_sizes& s, int bytes) {
    const int run = 16 / bytes;
    return {
        .column = ceil_div(s.channels, run) * run, .columns = 0, .lines = 0, .window = s.taps(), .step = 1};
}

/// The convolution that is left: a filter of one tap, whose channels are a window, over images of one line.
inline conv_sizes sizes_of_lines(const conv_sizes& s, const line_shape& shape) {
    constexpr block::axis_sizes single{1, 1, 1, 1, 1, 0};
    return {.d = single,
            .h = single,
            .w = {int(shape.columns / shape.step), s.w.output, 1, 1, 1, 0},
            .batch = int(shape.lines),
            .groups = 1,
            .channels = int(shape.row()),
            .filters = s.filters,
            .x_apart = index(shape.step) * shape.column};
}

template <class In>
struct columns_arguments {
    const In *images, *filters;
    In *lines, *rows;
    conv_sizes sizes;
    line_shape shape;
    index columns_of_lines, columns_of_all;  ///< to lay out: those of filters come last, if any do
};

/// Lays a column out. from(d, h) is where the channels of a tap begin; null where they are zeros.
template <class In, class From>
FADE_FN void lay_column(const columns_arguments<In>& args, In* to, From from) {
    constexpr int run = 16 / int(sizeof(In));
    const conv_sizes& s = args.sizes;
    const In* at = from(0, 0);
    int d = 0, h = 0, channel = 0;
    FADE_ROLLED
    for (int first = 0; first < args.shape.column; first += run) {
        vec<In, run> out{};
        unrolled<run>([&](int e) FADE_LAMBDA {
            if (at) out[e] = at[channel];
            if (++channel < s.channels) return;
            channel = 0;
            if (++h == s.h.filter) h = 0, ++d;
            at = d < s.d.filter ? from(d, h) : nullptr;
        });
        *reinterpret_cast<vec<In, run>*>(to + first) = out;
    }
}

template <class In>
FADE_FN void lay_column_of_line(const columns_arguments<In>& args, index number) {
    const conv_sizes& s = args.sizes;
    const index line = number / args.shape.columns, plane = line / s.h.output, image = plane / s.d.output;
    const int w = int(number - line * args.shape.columns) - s.w.pad,
              first_h = int(line - plane * s.h.output) * s.h.stride - s.h.pad,
              first_d = int(plane - image * s.d.output) * s.d.stride - s.d.pad;
    const bool in_line = w >= 0 && w < s.w.input;
    lay_column(args, args.lines + number * args.shape.column, [&](int tap_d, int tap_h) FADE_LAMBDA {
        const int d = first_d + tap_d * s.d.dilation, h = first_h + tap_h * s.h.dilation;
        const bool there = in_line && d >= 0 && d < s.d.input && h >= 0 && h < s.h.input;
        const index pixel = ((image * s.d.input + d) * s.h.input + h) * s.w.input + w;
        return there ? args.images + pixel * s.x_pixel() : nullptr;
    });
}

template <class In>
FADE_FN void lay_column_of_filter(const columns_arguments<In>& args, index number) {
    const conv_sizes& s = args.sizes;
    const index filter = number / s.w.filter;
    const int w = int(number - filter * s.w.filter);
    lay_column(args, args.rows + number * args.shape.column, [&](int d, int h) FADE_LAMBDA {
        return args.filters + filter * s.filter_row() +
               index((d * s.h.filter + h) * s.w.filter + w) * s.channels;
    });
}

template <workgroup Block, class In>
FADE_FN void lay_columns(Block& block, const columns_arguments<In>& args) {
    for (const block::run_work& work : block::run_schedule(block, args.columns_of_all, columns_at_once))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            if (item < args.columns_of_lines)
                lay_column_of_line(args, item);
            else
                lay_column_of_filter(args, item - args.columns_of_lines);
        });
}

/// The filter's gradient, of which `partial` holds [splits][filter][element of a window].
template <class In, class Out, class Epilogue>
struct mec_sums_arguments : gemm_arguments<In, Out, Epilogue> {
    conv_sizes sizes;
    line_shape shape;

    /// Where the sums of an element of D begin, which has filters as rows and taps and channels as columns.
    FADE_FN index place(index row, index column) const {
        const auto tap = int(column) / sizes.channels, channel = int(column) - tap * sizes.channels,
                   line = tap / sizes.w.filter, w = tap - line * sizes.w.filter;
        return row * shape.row() + index(w) * shape.column + line * sizes.channels + channel;
    }
};

template <workgroup Block, class Args>
FADE_FN void finish_mec_sums(Block& block, const Args& args) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(*args.a)>>;
    const index plane = args.m * args.shape.row();
    for (const block::run_work& work :
         block::run_schedule(block, args.m * args.n, block::combine_run(args.splits)))
        block::combine_items<sum_type>(
            block, work,
            [&](index at) FADE_LAMBDA {
                const index row = at / args.n;
                return partial_sums<sum_type>{args.partial + args.place(row, at - row * args.n), plane,
                                              args.splits};
            },
            [&](index at, sum_type sum) FADE_LAMBDA {
                const index row = at / args.n;
                args.d[at] = finished(args, sum, {row, at - row * args.n, 0, true});
            });
}

}  // namespace FADE_NAMESPACE::kernel

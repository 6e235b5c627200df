// Backward data with strides, of few channels: the pixels of x that one window of dy reaches lie beside each
// other as columns of one product. That is a convolution without strides, of as many more channels, whose
// filter has zeros where a pixel does not see a tap; the parts of x's pixels would leave most of a tile's
// columns empty, each.
#pragma once
#include <cstdint>
#include <fade/kernel/conv/columns.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// One dimension: x's pixel i * stride + a meets tap r at output i + e, where e * stride = a + pad - r *
/// dilation, and `last` is the largest e. Tap t of what is left meets output i + last - t.
struct beside_axis {
    int places = 1, taps = 1, last = 0;
    int stride = 1, dilation = 1, pad = 0, filter = 1;

    beside_axis() = default;
    explicit beside_axis(const block::axis_sizes& s)
        : places(ceil_div(s.input, s.stride)), stride(s.stride), dilation(s.dilation), pad(s.pad),
          filter(s.filter) {
        bool any = false;
        int min = 0;
        for (int a = 0; a < s.stride; ++a)
            for (int r = 0; r < s.filter; ++r) {
                const int from = a + s.pad - r * s.dilation;
                if (from % s.stride != 0) continue;
                const int e = from / s.stride;
                last = any ? max_of(last, e) : e, min = any ? min_of(min, e) : e, any = true;
            }
        taps = last - min + 1;
    }
    /// The filter's tap that pixel a sees as tap t; -1 where it sees none.
    FADE_FN constexpr int tap_of(int a, int t) const {
        const int from = a + pad - (last - t) * stride, tap = from / dilation;
        return from >= 0 && from == tap * dilation && tap < filter ? tap : -1;
    }
    /// Of what is left.
    constexpr block::axis_sizes sizes(int output) const { return {places, output, taps, 1, 1, last}; }
};

/// What is left: pixels of a block of x's are columns, a block's channels after another's.
struct beside_shape {
    beside_axis d, h, w;
    int channels = 0;  ///< of x
    int columns = 0;   ///< of the product, a whole number of 16-byte runs of elements

    FADE_FN constexpr int pixels() const { return d.stride * h.stride * w.stride; }
    FADE_FN constexpr index taps() const { return index(d.taps) * h.taps * w.taps; }
    FADE_FN constexpr index places() const { return index(d.places) * h.places * w.places; }
};

inline beside_shape beside_shape_of(const conv_sizes& s, int bytes) {
    beside_shape out{beside_axis(s.d), beside_axis(s.h), beside_axis(s.w), s.channels, 0};
    out.columns = padded_column(out.pixels() * s.channels, bytes);
    return out;
}

/// The convolution that is left.
inline conv_sizes sizes_beside(const conv_sizes& s, const beside_shape& shape) {
    return {.d = shape.d.sizes(s.d.output),
            .h = shape.h.sizes(s.h.output),
            .w = shape.w.sizes(s.w.output),
            .batch = s.batch,
            .groups = 1,
            .channels = shape.columns,
            .filters = s.filters,
            .x_apart = shape.columns,
            .dx_channels = shape.columns};
}

inline constexpr int beside_items = 1024;

/// Its filter: [filter][tap][column].
template <class In>
struct beside_filter_arguments {
    const In* from;
    In* to;
    beside_shape shape;
    index filter;  ///< elements from one filter to the next
    pixel_steps steps;
    index count;
};

template <class In>
FADE_FN In beside_tap(const beside_filter_arguments<In>& args, index item) {
    const beside_shape& s = args.shape;
    const index row = item / s.columns, filter = row / s.taps();
    const int column = int(item - row * s.columns), tap = int(row - filter * s.taps()),
              pixel = column / s.channels, channel = column - pixel * s.channels;
    const int line = tap / s.w.taps, pixel_line = pixel / s.w.stride;
    if (pixel >= s.pixels()) return In{};
    const int w = s.w.tap_of(pixel % s.w.stride, tap - line * s.w.taps),
              h = s.h.tap_of(pixel_line % s.h.stride, line % s.h.taps),
              d = s.d.tap_of(pixel_line / s.h.stride, line / s.h.taps);
    if (w < 0 || h < 0 || d < 0) return In{};
    const index of = (index(d) * s.h.filter + h) * s.w.filter + w;
    return args.from[filter * args.filter + of * args.steps.pixel + channel * args.steps.channel];
}

template <workgroup Block, class In>
FADE_FN void lay_beside(Block& block, const beside_filter_arguments<In>& args) {
    for (const block::run_work& work : block::run_schedule(block, args.count, beside_items))
        block::each_of(block, work.items(),
                       [&](index item) FADE_LAMBDA { args.to[item] = beside_tap(args, item); });
}

/// x's gradient, of which `partial` holds [splits][image][place][column].
template <class In, class Out, class Epilogue>
struct beside_sums_arguments : gemm_arguments<In, Out, Epilogue> {
    beside_shape shape;
    spatial input;
    index places;  ///< of all images

    /// Where the sums of an element of D begin.
    FADE_FN index place(const epilogue::position& at) const {
        const beside_shape& s = shape;
        const auto row = std::uint32_t(at.row), line = row / std::uint32_t(input.w),
                   plane = line / std::uint32_t(input.h), image = plane / std::uint32_t(input.d);
        const int x = int(row - line * std::uint32_t(input.w)),
                  y = int(line - plane * std::uint32_t(input.h)),
                  z = int(plane - image * std::uint32_t(input.d));
        const int of_w = x / s.w.stride, of_h = y / s.h.stride, of_d = z / s.d.stride;
        const int pixel = ((z - of_d * s.d.stride) * s.h.stride + y - of_h * s.h.stride) * s.w.stride + x -
                          of_w * s.w.stride;
        const index number = ((index(image) * s.d.places + of_d) * s.h.places + of_h) * s.w.places + of_w;
        return number * s.columns + pixel * s.channels + at.column;
    }
};

/// A lane adds an element's few parts one after another: addresses of more at once would fill the scalar
/// registers of CDNA.
template <workgroup Block, class Args>
FADE_FN void finish_beside(Block& block, const Args& args) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(*args.a)>>;
    const index plane = args.places * args.shape.columns;
    for (const block::run_work& work : block::run_schedule(block, args.m * args.n, beside_items))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            const index row = item / args.n;
            const epilogue::position at{row, item - row * args.n, 0, true};
            const sum_type* from = args.partial + args.place(at);
            sum_type sum = *from;
            FADE_ROLLED
            for (int part = 1; part < args.splits; ++part) from += plane, sum = wrapping_sum(sum, *from);
            args.d[item] = finished(args, sum, at);
        });
}

}  // namespace FADE_NAMESPACE::kernel

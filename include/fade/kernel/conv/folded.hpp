// Few channels: the taps along w, or along h and w, become channels of a copy, so that a step of the product
// multiplies several taps. Any groups, dilations and dimensions; of backward data strides, too.
#pragma once
#include <cstdint>
#include <fade/kernel/conv/columns.hpp>

namespace FADE_NAMESPACE::kernel {

/// One dimension. The copy has pixels as the places of `seen` see them, tap beside tap, and `left` is the
/// convolution of that copy. Pixel, or tap, a of what is left meets the filter's tap r by the copy's tap t
/// where r * dilation = a + pad - (first + t * period) * stride.
struct fold_axis {
    block::axis seen;
    block::axis_sizes left{1, 1, 1, 1, 1, 0};
    int first = 0, period = 1, stride = 0, dilation = 1, pad = 0, filter = 1;

    /// -1 where there is none.
    FADE_FN constexpr int tap_of(int a, int t) const {
        const int from = a + pad - (first + t * period) * stride, tap = from / dilation;
        return from >= 0 && from == tap * dilation && tap < filter ? tap : -1;
    }
    /// Has one of what is left no tap of the filter's where another has one?
    constexpr bool makes_zeros() const { return filter < index(seen.taps) * stride; }
};

/// Taps stay those of what is left, which sees `pixels` of an image.
inline fold_axis unfolded_axis(const block::axis_sizes& s, int pixels) {
    return {.seen = {.image = pixels, .grid = pixels}, .left = s, .filter = s.filter};
}
/// Of the forward pass: a place for each pixel of y.
inline fold_axis forward_fold(const block::axis_sizes& s) {
    return {.seen = block::forward_axis(s),
            .left = {s.output, s.output, 1, 1, 1, 0},
            .stride = -1,
            .filter = s.filter};
}
/// Of backward data: a place for as many pixels of x as the stride is, which what is left parts. Pixel a of
/// those meets tap r at output place + e, where e * stride = a + pad - r * dilation; taps are all e that any
/// pixel has. Sizes are such as can_fold() takes.
inline fold_axis backward_fold(const block::axis_sizes& s) {
    int min = 0, max = 0, period = 0;
    bool any = false;
    for (int a = 0; a < s.stride; ++a)
        for (int r = 0; r < s.filter; ++r) {
            const int from = a + (s.pad - r * s.dilation), e = from / s.stride;
            if (from != e * s.stride) continue;
            period = block::greatest_common_divisor(period, any ? max_of(e - min, min - e) : 0);
            min = any ? min_of(min, e) : e, max = any ? max_of(max, e) : e, any = true;
        }
    period = max_of(period, 1);
    const int places = ceil_div(s.input, s.stride);
    return {.seen = {.image = s.output,
                     .grid = places,
                     .start = min,
                     .taps = (max - min) / period + 1,
                     .tap_step = period},
            .left = {s.input, places, s.stride, s.stride, 1, 0},
            .first = min,
            .period = period,
            .stride = s.stride,
            .dilation = s.dilation,
            .pad = s.pad,
            .filter = s.filter};
}

/// Are places and taps along a dimension numbers below 2^31, in backward data with as many parts of x's
/// pixels as can be launched? Others are refused, or too large to copy.
inline bool can_fold(const conv_sizes& s, bool forward) {
    constexpr index max = index(1) << 30, max_parts = 65535;
    if (max_of(s.channels, s.filters) > max) return false;
    if (forward) return true;
    wide_index parts = 1;
    for (const block::axis_sizes* of : {&s.d, &s.h, &s.w}) {
        parts *= of->stride;
        if (max_of<index>(of->pad, (of->filter - 1) * index(of->dilation)) > max) return false;
    }
    return parts <= max_parts;
}

/// Of a pass but backward weights. `seen` are channels of what the windows see: those of x, or of dy.
struct fold_shape {
    fold_axis d, h, w;
    int seen = 0, groups = 1, batch = 0;
    bool planes = false;  ///< are taps along h folded, too?
    int columns = 0;      ///< of a group and place of the copy, whole runs of 16 bytes; 0: more than 2^30

    index places() const { return index(batch) * d.seen.grid * h.seen.grid * w.seen.grid * groups; }
    index elements() const { return places() * columns; }
    constexpr int taps_left() const { return d.left.filter * h.left.filter * w.left.filter; }
    /// Does dy meet zeros that the filter has not?
    constexpr bool makes_zeros() const { return h.makes_zeros() || w.makes_zeros(); }
};

/// Of sizes that can_fold() takes.
inline fold_shape fold_shape_of(const conv_sizes& s, bool forward, bool planes, int bytes) {
    const auto fold = [&](const block::axis_sizes& a) {
        return forward ? forward_fold(a) : backward_fold(a);
    };
    const auto keep = [&](const block::axis_sizes& a) {
        return unfolded_axis(a, forward ? a.input : a.output);
    };
    fold_shape out{.d = keep(s.d),
                   .h = planes ? fold(s.h) : keep(s.h),
                   .w = fold(s.w),
                   .seen = forward ? s.channels : s.filters,
                   .groups = s.groups,
                   .batch = s.batch,
                   .planes = planes};
    const wide_index columns = wide_index(out.h.seen.taps) * out.w.seen.taps * out.seen;
    if (columns <= wide_index(1) << 30) out.columns = padded_column(int(columns), bytes);
    return out;
}

/// The convolution that is left.
inline conv_sizes sizes_folded(const conv_sizes& s, const fold_shape& shape, bool forward, int bytes) {
    conv_sizes out = s;
    out.d = shape.d.left, out.h = shape.h.left, out.w = shape.w.left;
    if (forward) {
        out.channels = out.dx_channels = shape.columns, out.x_apart = index(shape.columns) * s.groups;
    } else {
        out.filters = shape.columns, out.channels = padded_column(s.channels, bytes);
    }
    return out;
}

/// The copy of images, which lie by these steps; those of several planes with channels last where taps along
/// h are folded.
inline column_layout folded_pixels(const fold_shape& shape, const pixel_steps& steps, int bytes) {
    const block::axis &d = shape.d.seen, &h = shape.h.seen,
                      lines{.image = d.image * h.image, .grid = d.image * h.image},
                      groups{.image = shape.groups};
    const index images = index(shape.batch) * (shape.planes ? d.image : 1);
    return {shape.planes ? h : lines, shape.w.seen, groups, shape.seen, images, shape.groups, steps, bytes};
}

/// The filter of what is left: [filter of all groups][tap][column], or of backward data [group][column]
/// [tap][channel].
template <class In>
struct fold_filter_arguments {
    const In* from;
    In* to;
    fold_axis d, h, w;
    bool forward;
    int seen, others;  ///< of a group: channels that a tap of the copy has, and those of the result
    index filter;      ///< elements from one filter to the next
    pixel_steps steps;
    index count;                                               ///< below 2^31
    divisor inner, of_w, of_h, of_d, outer, channels, taps_w;  ///< of_: taps of what is left
};

template <class In>
fold_filter_arguments<In> folded_filter(const conv_problem& p, const conv_sizes& s, const fold_shape& shape,
                                        const conv_sizes& left, bool forward) {
    const auto by = [](int d) { return divisor(std::uint32_t(d)); };
    const int inner = left.channels, outer = forward ? s.filters : left.filters;
    return {.from = nullptr,
            .to = nullptr,
            .d = shape.d,
            .h = shape.h,
            .w = shape.w,
            .forward = forward,
            .seen = shape.seen,
            .others = forward ? s.filters : s.channels,
            .filter = s.filter_row(),
            .steps = steps_of(p.layout, s.taps(), s.channels),
            .count = index(outer) * s.groups * shape.taps_left() * inner,
            .inner = by(inner),
            .of_w = by(shape.w.left.filter),
            .of_h = by(shape.h.left.filter),
            .of_d = by(shape.d.left.filter),
            .outer = by(outer),
            .channels = by(shape.seen),
            .taps_w = by(shape.w.seen.taps)};
}

template <class In>
FADE_FN In folded_tap(const fold_filter_arguments<In>& args, std::uint32_t item) {
    const auto split = [](std::uint32_t& number, const divisor& by) FADE_LAMBDA {
        const std::uint32_t whole = by.quotient(number), rest = number - whole * by.by();
        number = whole;
        return int(rest);
    };
    std::uint32_t rest = item;
    const int inner = split(rest, args.inner), w = split(rest, args.of_w), h = split(rest, args.of_h),
              d = split(rest, args.of_d), outer = split(rest, args.outer), group = int(rest);
    const int column = args.forward ? inner : outer, other = args.forward ? outer : inner;
    std::uint32_t tap = std::uint32_t(column);
    const int seen = split(tap, args.channels), t_w = split(tap, args.taps_w), t_h = int(tap);
    const int in_w = args.w.tap_of(w, t_w), in_h = args.h.tap_of(h, t_h), in_d = args.d.tap_of(d, 0);
    if (other >= args.others || t_h >= args.h.seen.taps || in_w < 0 || in_h < 0 || in_d < 0) return In{};
    const int filter = args.forward ? other : seen, filters = args.forward ? args.others : args.seen,
              channel = args.forward ? seen : other;
    const index of = (index(in_d) * args.h.filter + in_h) * args.w.filter + in_w;
    return args.from[(index(group) * filters + filter) * args.filter + of * args.steps.pixel +
                     channel * args.steps.channel];
}

inline constexpr int fold_items = 1024;

template <workgroup Block, class In>
FADE_FN void lay_folded(Block& block, const fold_filter_arguments<In>& args) {
    for (const block::run_work& work : block::run_schedule(block, args.count, fold_items))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            args.to[item] = folded_tap(args, std::uint32_t(item));
        });
}

}  // namespace FADE_NAMESPACE::kernel

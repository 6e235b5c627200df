// im2col lays the windows of images out as a matrix, and col2im adds such a matrix up into images.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/block/schedule/run.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Elements, or runs of them, that a workgroup writes.
inline constexpr int im2col_items = 1024;

/// Matrices of windows, [group][pixel of y][tap][channel of the group], of images one after another.
template <class In>
struct im2col_arguments {
    const In* images;
    In* columns;
    block::window_view windows;  ///< channels are those of a group
    index rows;                  ///< pixels of y of these images
    index elements;              ///< of all matrices
};

/// Which tap of a filter a number is, w fastest.
FADE_FN constexpr spatial tap_of(const spatial& filter, int number) {
    const int line = number / filter.w;
    return {line / filter.h, line % filter.h, number % filter.w};
}

/// Which channel of a tap an element of the matrices is, and where x has it; null beyond the image.
template <class In>
struct window_element {
    const In* at;
    int channel;
};
template <class In>
FADE_FN window_element<In> element_of_windows(const im2col_arguments<In>& args, std::uint32_t element) {
    const block::window_view& v = args.windows;
    const spatial taps = v.taps();
    const auto channels = std::uint32_t(v.channels), count = std::uint32_t(taps.volume()),
               rows = std::uint32_t(args.rows);
    const std::uint32_t window_tap = element / channels, window = window_tap / count, group = window / rows;
    const block::window_place place = block::window_rows(v).of(window - group * rows);
    const spatial tap = tap_of(taps, int(window_tap - window * count)),
                  at{v.d.coordinate(place.at.d, tap.d), v.h.coordinate(place.at.h, tap.h),
                     v.w.coordinate(place.at.w, tap.w)};
    const auto channel = int(element - window_tap * channels);
    if (!v.d.holds(at.d) || !v.h.holds(at.h) || !v.w.holds(at.w)) return {nullptr, channel};
    const index pixel = ((index(place.image) * v.d.image + at.d) * v.h.image + at.h) * v.w.image + at.w;
    return {args.images + pixel * v.pixel + group * channels + channel, channel};
}

/// Copies the channels from `element` of the matrices on: they have one tap. Beyond the image lie zeros.
template <int Run, class In>
FADE_FN void copy_window_run(const im2col_arguments<In>& args, std::uint32_t element) {
    using run = vec<In, Run>;
    const window_element<In> found = element_of_windows(args, element);
    run out{};
    if (found.at) out = *reinterpret_cast<const run*>(found.at);
    *reinterpret_cast<run*>(args.columns + element) = out;
}

/// Likewise elements from `first` to before `end`, those of a tap at once.
template <class In>
FADE_FN void copy_window_elements(const im2col_arguments<In>& args, index first, index end) {
    index count = 0;
    for (index at = first; at < end; at += count) {
        const window_element<In> found = element_of_windows(args, std::uint32_t(at));
        count = min_of<index>(args.windows.channels - found.channel, end - at);
        if (found.at)
            std::memcpy(args.columns + at, found.at, std::size_t(count) * sizeof(In));
        else
            std::memset(args.columns + at, 0, std::size_t(count) * sizeof(In));
    }
}

/// A `Run` above 1 divides the channels of a group, and addresses are multiples of its size.
template <int Run, workgroup Block, class In>
FADE_FN void im2col(Block& block, const im2col_arguments<In>& args) {
    for (const block::run_work& work : block::run_schedule(block, args.elements / Run, im2col_items))
        if constexpr (block::one_lane<Block>)
            copy_window_elements(args, work.first * Run, work.end * Run);
        else
            block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
                copy_window_run<Run>(args, std::uint32_t(item * Run));
            });
}

/// Matrices as im2col lays them out, whose elements are products of dy and the filter. D are the images of
/// which x's gradient has these rows; C and the epilogue see them where they lie in all of x.
template <class In, class Out, class Epilogue>
struct col2im_arguments : gemm_arguments<In, Out, Epilogue> {
    conv_sizes sizes;
    const accumulator_t<In>* columns;
    index first_row;  ///< of x's pixels
    index rows;       ///< of the matrices: pixels of y
};

/// Which window's tap lies on coordinate `at` of an image; -1 where none does.
FADE_FN constexpr int window_of_tap(const block::axis_sizes& s, int at, int tap) {
    const int from = at + s.pad - tap * s.dilation, window = from / s.stride;
    return from >= 0 && from == window * s.stride && window < s.output ? window : -1;
}

/// The sum of all that reaches an element of x, tap after tap.
template <class Args>
FADE_FN auto sum_of_windows(const Args& args, int image, const spatial& at, int channel) {
    const conv_sizes& s = args.sizes;
    const int group = channel / s.channels;
    const auto* columns = args.columns + group * args.rows * s.filter_row() + (channel - group * s.channels);
    std::remove_cvref_t<decltype(*columns)> sum{};
    FADE_ROLLED
    for (int tap = 0; tap < s.taps(); ++tap) {
        const spatial t = tap_of({s.d.filter, s.h.filter, s.w.filter}, tap);
        const int d = window_of_tap(s.d, at.d, t.d), h = window_of_tap(s.h, at.h, t.h),
                  w = window_of_tap(s.w, at.w, t.w);
        if (d < 0 || h < 0 || w < 0) continue;
        const index row = ((index(image) * s.d.output + d) * s.h.output + h) * s.w.output + w;
        sum += columns[row * s.filter_row() + index(tap) * s.channels];
    }
    return sum;
}

template <workgroup Block, class Args>
FADE_FN void col2im(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    for (const block::run_work& work : block::run_schedule(block, args.m * args.n, im2col_items))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            const index row = item / args.n;
            const int channel = int(item - row * args.n);
            const auto line = std::uint32_t(row) / std::uint32_t(s.w.input),
                       plane = line / std::uint32_t(s.h.input), image = plane / std::uint32_t(s.d.input);
            const spatial at{int(plane - image * std::uint32_t(s.d.input)),
                             int(line - plane * std::uint32_t(s.h.input)),
                             int(std::uint32_t(row) - line * std::uint32_t(s.w.input))};
            const index line_of_d = args.first_row + row;
            args.d[line_of_d * args.ldd + channel] =
                finished(args, sum_of_windows(args, int(image), at, channel), {line_of_d, channel, 0, true});
        });
}

}  // namespace FADE_NAMESPACE::kernel

// One spatial dimension of a convolution: which coordinate of an image a tap of a filter meets.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// Neighbouring places of a grid; none where `end` is not behind `first`.
struct place_range {
    int first, end;
};

/// Place i of the grid and tap j meet coordinate i * step + start + j * tap_step of the image; beyond the
/// image lie zeros. Tap j is tap filter_first + j * filter_stride of the filter, and place i is element
/// out_first + i * out_stride of the output.
struct axis {
    int image = 1, grid = 1;
    int step = 1, start = 0;
    int taps = 1, tap_step = 1;
    int filter_first = 0, filter_stride = 1;
    int out_first = 0, out_stride = 1;

    FADE_FN constexpr int coordinate(int place, int tap) const {
        return place * step + start + tap * tap_step;
    }
    FADE_FN constexpr bool holds(int at) const { return std::uint32_t(at) < std::uint32_t(image); }
    /// Places from `first` to before `end` whose tap lies in the image; they are neighbours. `step` is
    /// positive.
    FADE_FN constexpr place_range places_inside(int tap, int first, int end) const {
        const int at = start + tap * tap_step;
        return {at < 0 ? max_of(first, ceil_div(-at, step)) : first,
                at < image ? min_of(end, (image - 1 - at) / step + 1) : first};
    }
    /// Has each place one tap, which meets the coordinate of the place?
    FADE_FN constexpr bool is_plain() const { return taps == 1 && step == 1 && start == 0 && grid == image; }
    /// How far the last place begins beyond the image's last element.
    FADE_FN constexpr int overhang() const { return max_of((grid - 1) * step - (image - 1), 0); }
    /// A bit for each tap that meets no element.
    FADE_FN constexpr std::uint32_t missing(int place) const {
        std::uint32_t bits = 0;
        for (int j = 0; j < taps; ++j) bits |= std::uint32_t(!holds(coordinate(place, j))) << j;
        return bits;
    }
};

/// The sizes of one dimension of a convolution, as it is asked for.
struct axis_sizes {
    int input, output, filter, stride, dilation, pad;
};

/// Rows are pixels of the output, which see the input.
FADE_FN constexpr axis forward_axis(const axis_sizes& s) {
    return {.image = s.input,
            .grid = s.output,
            .step = s.stride,
            .start = -s.pad,
            .taps = s.filter,
            .tap_step = s.dilation};
}

FADE_FN constexpr int greatest_common_divisor(int a, int b) {
    while (b != 0) {
        const int rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/// The pixels h of the input with h mod stride = residue, as places of a result.
FADE_FN constexpr axis residue_axis(const axis_sizes& s, int residue) {
    return {.grid = residue < s.input ? (s.input - residue + s.stride - 1) / s.stride : 0,
            .out_first = residue,
            .out_stride = s.stride};
}

/// Rows are the pixels of residue_axis, which see the output's gradient:
/// tap r reaches output (h + pad - r * dilation) / stride, where that is whole. Those taps are an arithmetic
/// progression of period stride / gcd(dilation, stride), or none.
FADE_FN constexpr axis backward_axis(const axis_sizes& s, int residue) {
    const int common = greatest_common_divisor(s.dilation, s.stride), period = s.stride / common;
    int first = 0;
    while (first < period && (residue + s.pad - first * s.dilation) % s.stride != 0) ++first;
    const bool any = first < period && first < s.filter;
    const axis result = residue_axis(s, residue);
    return {.image = s.output,
            .grid = result.grid,
            .step = 1,
            .start = any ? (residue + s.pad - first * s.dilation) / s.stride : 0,
            .taps = any ? (s.filter - 1 - first) / period + 1 : 0,
            .tap_step = -(s.dilation / common),
            .filter_first = first,
            .filter_stride = period,
            .out_first = result.out_first,
            .out_stride = result.out_stride};
}

}  // namespace FADE_NAMESPACE::block

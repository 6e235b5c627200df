// What a launch of a convolution is given, and how its passes are products of matrices.
#pragma once
#include <fade/block/source/axis.hpp>
#include <fade/block/source/filter.hpp>
#include <fade/block/source/window.hpp>
#include <fade/kernel/conv/problem.hpp>
#include <fade/kernel/gemm/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Sizes that kernels read. Channels and filters are those of one group.
struct conv_sizes {
    block::axis_sizes d, h, w;
    int batch, groups, channels, filters;
    index x_apart;    ///< elements from one pixel of x to the next
    int dx_channels;  ///< of a group in backward data's result, where the filter may have more

    FADE_FN constexpr index x_pixel() const { return x_apart; }
    FADE_FN constexpr index y_pixel() const { return index(groups) * filters; }
    FADE_FN constexpr int taps() const { return d.filter * h.filter * w.filter; }
    FADE_FN constexpr index filter_row() const { return index(taps()) * channels; }
    /// How many parts of x's pixels backward data makes, one for each remainder of the strides.
    FADE_FN constexpr int residues() const { return d.stride * h.stride * w.stride; }
};

/// Those of a checked problem.
inline conv_sizes sizes_of(const conv_problem& p) {
    const spatial out = p.output();
    return {.d = {p.input.d, out.d, p.filter.d, p.stride.d, p.dilation.d, p.pad.d},
            .h = {p.input.h, out.h, p.filter.h, p.stride.h, p.dilation.h, p.pad.h},
            .w = {p.input.w, out.w, p.filter.w, p.stride.w, p.dilation.w, p.pad.w},
            .batch = int(p.batch),
            .groups = p.groups,
            .channels = p.channels / p.groups,
            .filters = p.filters / p.groups,
            .x_apart = p.channels,
            .dx_channels = p.channels / p.groups};
}

/// A product of matrices of which one is seen through windows: A and B name what the pass reads, as
/// kernel/gemm/arguments.hpp has them; m, n and k are those of one group. Rows of the result are pixels of
/// the output (forward), pixels of x (backward data) or filters (backward weights), and columns filters,
/// channels, or taps and their channels.
template <class In, class Out, class Epilogue>
struct conv_arguments : gemm_arguments<In, Out, Epilogue> {
    conv_sizes sizes;
    block::window_lookup pixels;  ///< of y

    /// Those of the launch, loaded anew: so the loop over k has scalar registers for sizes of images.
    template <class Block>
    FADE_FN const conv_arguments& at_the_end() const {
        return Block::reload_arguments(*this);
    }
};

/// What rows of the forward pass see.
FADE_FN constexpr block::window_view forward_view(const conv_sizes& s) {
    return {block::forward_axis(s.d), block::forward_axis(s.h), block::forward_axis(s.w), s.channels,
            s.x_pixel()};
}

/// The remainders that a residue's coordinates leave by the strides, w fastest.
FADE_FN constexpr spatial remainders_of(const conv_sizes& s, int residue) {
    return {residue / s.w.stride / s.h.stride, residue / s.w.stride % s.h.stride, residue % s.w.stride};
}

/// What rows of backward data see: those of x's pixels whose coordinates leave these remainders.
FADE_FN constexpr block::window_view backward_view(const conv_sizes& s, int residue) {
    const spatial at = remainders_of(s, residue);
    return {block::backward_axis(s.d, at.d), block::backward_axis(s.h, at.h), block::backward_axis(s.w, at.w),
            s.filters, s.y_pixel()};
}

/// Of that view the places of its rows in x alone.
FADE_FN constexpr block::window_view residue_view(const conv_sizes& s, int residue) {
    const spatial at = remainders_of(s, residue);
    return {block::residue_axis(s.d, at.d), block::residue_axis(s.h, at.h), block::residue_axis(s.w, at.w)};
}

/// Rows are filters, k channels of taps.
FADE_FN constexpr block::filter_view forward_filter(const conv_sizes& s) {
    return {{s.d.filter, s.h.filter, s.w.filter}, s.filter_row(), s.channels, 1};
}

/// Rows are channels, k filters of taps.
FADE_FN constexpr block::filter_view backward_filter(const conv_sizes& s) {
    return {{s.d.filter, s.h.filter, s.w.filter}, 1, s.channels, s.filter_row()};
}

/// The arguments of a part of x's pixels: rows of the product lie apart in the result.
template <class Args>
struct residue_arguments : Args {
    block::window_view view;

    FADE_FN residue_arguments(const Args& args, const block::window_view& v) : Args(args), view(v) {
        this->m = this->sizes.batch * view.rows_of_image();
    }
    /// With strides of 1 the rows are all pixels.
    FADE_FN bool rows_are_apart() const { return this->sizes.residues() > 1; }
    /// Of the launch's arguments, loaded anew, with what rows are in the result.
    template <class Block>
    FADE_FN residue_arguments at_the_end() const {
        const Args& reloaded = Args::template at_the_end<Block>();
        const conv_sizes& s = reloaded.sizes;
        const int residue =
            (view.d.out_first * s.h.stride + view.h.out_first) * s.w.stride + view.w.out_first;
        return {reloaded, residue_view(s, residue)};
    }
    FADE_FN index row_of_output(index row) const {
        return pixel_of(block::window_rows(view).of(std::uint32_t(row)));
    }
    FADE_FN index pixel_of(const block::window_place& p) const {
        const auto place = [](const block::axis& of, int i) {
            return index(of.out_first) + index(i) * of.out_stride;
        };
        const conv_sizes& s = this->sizes;
        return ((p.image * index(s.d.input) + place(view.d, p.at.d)) * s.h.input + place(view.h, p.at.h)) *
                   s.w.input +
               place(view.w, p.at.w);
    }
};

}  // namespace FADE_NAMESPACE::kernel

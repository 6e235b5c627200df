// Convolutions whose operands the copy unit brings: it walks over windows by itself (im2col).
#pragma once
#include <fade/kernel/conv/parts.hpp>
#include <fade/kernel/gemm/tma_ring.hpp>

namespace FADE_NAMESPACE::kernel {

/// Windows begin at the tap that lies first in the image, so that other taps lie behind it.
FADE_FN constexpr im2col_axis im2col_axis_of(const block::axis& a) {
    return {.pixels = a.image,
            .places = a.grid,
            .step = a.step,
            .first = a.start + min_of(a.tap_step, 0) * (a.taps - 1)};
}
/// How many pixels tap j lies behind the windows' first.
FADE_FN constexpr int pixels_behind(const block::axis& a, int j) {
    return a.tap_step * (a.tap_step < 0 ? j - (a.taps - 1) : j);
}

template <class T>
FADE_FN im2col_source windows_to_map(const block::window_view& view, const T* images, int count, int box) {
    return {.base = images,
            .channels = view.channels,
            .images = count,
            .pixel = view.pixel,
            .line = view.pixel * view.w.image,
            .image = view.pixel * view.w.image * view.h.image,
            .h = im2col_axis_of(view.h),
            .w = im2col_axis_of(view.w),
            .box = box,
            .bytes = int(sizeof(T))};
}
/// The same where each window is one pixel, its own: rows of a matrix, whose boxes come sooner than those of
/// windows that cross lines and images.
template <class T>
FADE_FN tile_source pixels_to_box(const block::window_view& view, const T* images, int count, int box) {
    return {.base = images,
            .columns = view.channels,
            .positions = int(count * view.pixels_of_image()),
            .heads = 1,
            .batches = 1,
            .position = view.pixel,
            .head = 0,
            .batch = 0,
            .box = box,
            .bytes = int(sizeof(T))};
}

/// [filter, tap, channel].
template <class Args>
FADE_FN tile_source filters_to_map(const Args& args, int box) {
    const conv_sizes& s = args.sizes;
    return {.base = args.b,
            .columns = s.channels,
            .positions = s.filters,
            .heads = s.taps(),
            .batches = 1,
            .position = s.filter_row(),
            .head = s.channels,
            .batch = 0,
            .box = box,
            .bytes = int(sizeof(*args.b))};
}

/// A and B of a pass, of which one is seen through windows.
template <conv_pass Pass, class Args>
FADE_FN auto conv_a_to_map(const Args& args, const block::window_view& view, tile_shape tile) {
    if constexpr (Pass == conv_pass::backward_weights)
        return operand_to_map(args.a, block::memory_order::row_contiguous, args.m, args.k,
                              args.sizes.y_pixel(), 1, 0, tile, tile.m);
    else
        return windows_to_map(view, args.a, args.sizes.batch, tile.m);
}
template <conv_pass Pass, class Args>
FADE_FN auto conv_b_to_map(const Args& args, const block::window_view& view, tile_shape tile, int cluster) {
    if constexpr (Pass == conv_pass::backward_weights)
        return windows_to_map(view, args.b, args.sizes.batch, tile.k);
    else
        return filters_to_map(args, Pass == conv_pass::forward ? tile.n / cluster : tile.k);
}

/// A tap of a filter, and a channel of it.
struct tap_channel {
    int w, h, channel;

    /// `at` counts channels of one tap after another, w fastest; a tap has so many.
    FADE_FN static tap_channel of(int at, int channels, int taps_w) {
        const std::uint32_t tap = std::uint32_t(at) / std::uint32_t(channels),
                            h = tap / std::uint32_t(taps_w);
        return {int(tap) - int(h) * taps_w, int(h), at - int(tap) * channels};
    }
    /// So many channels further, of which a tap has whole steps: a lane alone asks for boxes, and divisions
    /// would take it longer than products of a small tile take the others.
    FADE_FN void advance(int by, int channels, int taps_w) {
        channel += by;
        if (channel < channels) return;
        channel = 0, ++w;
        if (w == taps_w) w = 0, ++h;
    }
};

/// Where the windows of a place begin, as all taps of it do.
FADE_FN constexpr im2col_place corner_of(const block::window_place& place, const block::window_view& view) {
    const im2col_axis w = im2col_axis_of(view.w), h = im2col_axis_of(view.h);
    return {.channel = 0,
            .w = place.at.w * w.step + w.first,
            .h = place.at.h * h.step + h.first,
            .image = place.image,
            .tap_w = 0,
            .tap_h = 0};
}
FADE_FN constexpr im2col_place at_tap(im2col_place corner, const block::window_view& view,
                                      const tap_channel& tap) {
    corner.channel = tap.channel;
    corner.tap_w = pixels_behind(view.w, tap.w), corner.tap_h = pixels_behind(view.h, tap.h);
    return corner;
}

/// The boxes of forward and of backward data: rows of A are windows, and B is the filter. Each tap has whole
/// steps of channels; what is beyond the last channel is zero in both.
template <class Traits, conv_pass Pass, class Args>
class window_boxes {
    using layout_a = typename Traits::layout_a;
    using layout_b = typename Traits::layout_b;
    static constexpr gemm_policy policy = Traits::policy;
    static constexpr bool strided = has_parts<Args>;

public:
    static constexpr bool may_sum_nothing = strided;
    static constexpr bool has_short_tiles = false, placed_by_arguments = false;
    FADE_FN explicit window_boxes(const Args& args) : args_(&args) {}

    FADE_FN output_tile place(const block::split_work& work) const {
        output_tile at = place_in_output<policy>(*args_, work);
        if constexpr (strided) {
            const block::window_view& view = args_->parts[work.layer].view;
            const index rows = args_->sizes.batch * view.rows_of_image(),
                        of_cluster = work.tile.row / policy.cluster * policy.cluster;
            at.rows = int(min_of<index>(rows - at.row, policy.block_tile.m));
            // Workgroups of a cluster bring the filter for each other, so all of them sum, or none.
            const bool any = of_cluster * policy.block_tile.m < rows;
            at.k_count = any ? index(view.taps().volume()) * padded_channels(view) : 0;
        }
        return at;
    }
    FADE_FN void begin_tile(const output_tile& at) {
        part_ = int(at.layer), row_ = int(at.row), column_ = int(at.column);
        corner_ = corner_of(block::window_rows(view()).of(std::uint32_t(at.row)), view());
        tap_ = tap_channel::of(int(at.k_begin), padded_channels(view()), view().w.taps);
    }
    /// The next step.
    template <class Block, class Tiles>
    FADE_FN void copy(Block& block, const Tiles& to, int, std::uint32_t announces, int rank) {
        const block::window_view& view = this->view();
        const tap_channel tap = tap_;
        const int number = number_in_filter(view, tap);
        tap_.advance(policy.block_tile.k, view.channels, view.w.taps);
        if (!strided && args_->sees_pixels)
            copy_boxes<layout_a, 1>(
                block, to.a.base, a_map(),
                pixels_to_box(view, args_->a, args_->sizes.batch, policy.block_tile.m), announces, rank,
                [&](int behind) FADE_LAMBDA { return box_place{tap.channel, row_ + behind, 0, 0}; });
        else
            copy_boxes<layout_a, 1>(block, to.a.base, a_map(),
                                    conv_a_to_map<Pass>(*args_, view, policy.block_tile), announces, rank,
                                    [&](int) FADE_LAMBDA { return at_tap(corner_, view, tap); });
        copy_boxes<layout_b, policy.cluster>(
            block, to.b.base, args_->b_map,
            conv_b_to_map<Pass>(*args_, view, policy.block_tile, policy.cluster), announces, rank,
            [&](int behind) FADE_LAMBDA {
                const int column = column_ + behind;
                return Pass == conv_pass::forward ? box_place{tap.channel, column, number, 0}
                                                  : box_place{column, tap.channel, number, 0};
            });
    }

    /// Of parts; of others the product does it.
    template <class Block, class Acc>
    FADE_FN void store(Block& block, Acc& acc, const output_tile& at) const
        requires strided
    {
        store_part<Traits>(block, acc, *args_, at);
    }

private:
    FADE_FN static int padded_channels(const block::window_view& view) {
        return ceil_div(view.channels, policy.block_tile.k) * policy.block_tile.k;
    }
    FADE_FN int number_in_filter(const block::window_view& view, const tap_channel& tap) const {
        if constexpr (strided)
            return (view.h.filter_first + tap.h * view.h.filter_stride) * args_->sizes.w.filter +
                   view.w.filter_first + tap.w * view.w.filter_stride;
        else
            return tap.h * view.w.taps + tap.w;
    }
    FADE_FN const block::window_view& view() const {
        if constexpr (strided)
            return args_->parts[part_].view;
        else
            return args_->view;
    }
    FADE_FN const tensor_map& a_map() const {
        if constexpr (strided)
            return args_->parts[part_].maps.windows;
        else
            return args_->a_map;
    }

    const Args* args_;
    im2col_place corner_{};
    tap_channel tap_{};
    int row_ = 0, column_ = 0, part_ = 0;
};

/// The boxes of backward weights: A is the output's gradient, and k of B are pixels. Columns of a box are of
/// one tap, so taps have whole boxes of channels, or there is one tap.
template <class Traits, class Args>
class pixel_boxes {
    static constexpr gemm_policy policy = Traits::policy;
    using layout_b = typename Traits::layout_b;
    static constexpr int most_boxes = layout_b::rows / tile_source::box_columns;
    static_assert(most_boxes % policy.cluster == 0, "workgroups of a cluster bring as many boxes each");

public:
    static constexpr bool may_sum_nothing = false;
    static constexpr bool has_short_tiles = false, placed_by_arguments = false;
    FADE_FN explicit pixel_boxes(const Args& args) : args_(&args) {}

    FADE_FN output_tile place(const block::split_work& work) const {
        return place_in_output<policy>(*args_, work);
    }
    FADE_FN void begin_tile(const output_tile& at) {
        row_ = int(at.row), column_ = int(at.column);
        boxes_ = min_of(ceil_div(int(args_->n) - column_, tile_source::box_columns), most_boxes);
        const block::window_view& view = args_->view;
        unrolled<most_boxes>([&](int n) FADE_LAMBDA {
            const int column = column_ + min_of(n, boxes_ - 1) * tile_source::box_columns;
            taps_[n] = tap_channel::of(column, view.channels, view.w.taps);
        });
    }
    template <class Block, class Tiles>
    FADE_FN void copy(Block& block, const Tiles& to, int k, std::uint32_t announces, int rank) const {
        constexpr conv_pass pass = conv_pass::backward_weights;
        const block::window_view& view = args_->view;
        copy_boxes<typename Traits::layout_a, 1>(
            block, to.a.base, args_->a_map, conv_a_to_map<pass>(*args_, view, policy.block_tile), announces,
            rank, [&](int behind) FADE_LAMBDA { return box_place{row_ + behind, k, 0, 0}; });
        if (args_->sees_pixels) return copy_pixels(block, to, k, announces, rank);
        const im2col_place corner = corner_of(args_->pixels.of(std::uint32_t(k)), view);
        each_box<1>(block, to, 0, [&](int n, std::uint32_t at) FADE_LAMBDA {
            block.copy_box(at, args_->b_map, conv_b_to_map<pass>(*args_, view, policy.block_tile, 1),
                           at_tap(corner, view, taps_[n]), announces);
        });
    }
    template <class Block>
    FADE_FN int bytes_of_step(const Block& block) const {
        return Traits::layout_a::bytes + boxes_of(block) * (layout_b::bytes / most_boxes);
    }

private:
    /// Windows of one pixel. Workgroups of a cluster have neighbouring rows and the same columns, so that
    /// they bring these for each other.
    template <class Block, class Tiles>
    FADE_FN void copy_pixels(Block& block, const Tiles& to, int k, std::uint32_t announces, int rank) const {
        constexpr int shared = Block::emulated ? 1 : policy.cluster;
        const tile_source pixels =
            pixels_to_box(args_->view, args_->b, args_->sizes.batch, policy.block_tile.k);
        each_box<shared>(block, to, rank, [&](int n, std::uint32_t at) FADE_LAMBDA {
            const box_place place{column_ + n * tile_source::box_columns, k, 0, 0};
            if constexpr (shared == 1)
                block.copy_box(at, args_->b_map, pixels, place, announces);
            else
                block.copy_box_to_all(at, args_->b_map, pixels, place, announces, (1 << shared) - 1);
        });
    }
    /// f(box, where it goes) of this rank's boxes, of which so many workgroups bring each a part.
    template <int Shared, class Block, class Tiles, class F>
    FADE_FN void each_box(const Block& block, const Tiles& to, int rank, F f) const {
        const int count = boxes_of(block);
        unrolled<most_boxes / Shared>([&](int i) FADE_LAMBDA {
            const int n = Shared == 1 ? i : rank * (most_boxes / Shared) + i;
            if (n < count) f(n, to.b.base + layout_b::offset(n * tile_source::box_columns, 0));
        });
    }
    /// Of columns beyond the result no box comes: what lies there nobody stores. Emulation reports what is
    /// read and was never written, so there the last one comes again.
    template <class Block>
    FADE_FN int boxes_of(const Block&) const {
        return Block::emulated ? most_boxes : boxes_;
    }

    const Args* args_;
    int row_ = 0, column_ = 0, boxes_ = most_boxes;
    tap_channel taps_[most_boxes]{};  ///< of the boxes of B
};

template <gemm_policy Policy, gemm_access Access, conv_pass Pass, matrix_workgroup Block, class Args>
FADE_FN void conv_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    if constexpr (Pass == conv_pass::backward_weights)
        multiply_boxes<traits>(block, args, pixel_boxes<traits, Args>(args));
    else
        multiply_boxes<traits>(block, args, window_boxes<traits, Pass, Args>(args));
}

}  // namespace FADE_NAMESPACE::kernel

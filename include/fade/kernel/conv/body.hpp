// Convolutions as products of matrices of which one is never stored: its rows are windows of an image.
#pragma once
#include <fade/block/source/pixel_table.hpp>
#include <fade/block/source/pixel_walk.hpp>
#include <fade/block/source/pixels.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/ring.hpp>
#include <limits>

namespace FADE_NAMESPACE::kernel {

/// How a kernel reads channels.
enum class channel_access {
    chunks,    ///< in 16-byte runs; channels are a multiple of a step's depth
    runs,      ///< in 16-byte runs; the last step of a tap may be partial
    elements,  ///< one by one
    boxes      ///< by the copy unit
};

constexpr const char* name(channel_access r) {
    constexpr const char* names[] = {"chunks", "runs", "elements", "boxes"};
    return names[int(r)];
}

/// A tile of which group. Groups lie side by side along the columns of the result, or, of a filter's
/// gradient, along its rows.
struct group_tile : output_tile {
    int group;
    index in_group;  ///< its first column, or row, among those of the group
};
/// `lines` are the rows or columns of a group, as operands have them: of one group the result may have fewer.
/// They are not divided here: the vector unit would do that, and the result's memory would have an address in
/// vector registers.
template <gemm_policy Policy, bool GroupsAreRows, class Args>
FADE_FN group_tile place_in_group(const Args& args, const block::split_work& work, int group, int lines) {
    // Without a sign, which would stay in a scalar register until the end.
    const auto k = block::part_of<index>(0, args.k, args.k_split, index(std::uint32_t(work.part)));
    const index row = index(work.tile.row) * Policy.block_tile.m,
                column = index(work.tile.column) * Policy.block_tile.n;
    const index rows = GroupsAreRows ? min_of<index>(lines, args.m) : args.m,
                columns = GroupsAreRows ? args.n : min_of<index>(lines, args.n),
                before = index(group) * lines;
    return {{.row = row + (GroupsAreRows ? before : 0),
             .column = column + (GroupsAreRows ? 0 : before),
             .batch = 0,
             .layer = work.part,
             .k_begin = k.begin,
             .k_count = k.end - k.begin,
             .rows = int(min_of<index>(rows - row, Policy.block_tile.m)),
             .columns = int(min_of<index>(columns - column, Policy.block_tile.n))},
            group,
            GroupsAreRows ? row : column};
}

/// Layers are groups, and of strided backward data the parts of x that see the same taps.
template <gemm_policy Policy, class Block, class Args>
FADE_FN block::split_schedule tiles_of_groups(const Block& block, const Args& args) {
    return {block, walk_over_tiles<Policy, Block>(args), args.splits};
}

/// The filter's rows from `row` on, as the steps of a walk read them. Where rows have whole steps of
/// channels, side by side, one tap lies behind the other, and a matrix's rows do.
template <bool Plain, bool Whole, int Depth, class In>
FADE_FN auto filter_rows(const block::window_view& window, const block::filter_view& filter, const In* row,
                         const In* begin, const In* end, int rows, const block::tap_walk<Depth>& walk) {
    if constexpr (Plain)
        return block::operand<In>{row + walk.first_step() * Depth, begin, end, filter.row_stride, 1, rows};
    else
        return block::filter_source<In, Depth, Whole>(window, filter, row, begin, end, rows, walk);
}

/// D's rows see windows of A; B is the filter, which lies as `filter` says. Steps walk over taps and
/// channels.
template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void multiply_windows(Block& block, const Args& args, group_tile at, const block::window_view& view,
                              const block::filter_view& filter, index group_filters) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    constexpr int depth = Policy.block_tile.k;
    constexpr bool whole = Channels == channel_access::chunks,
                   plain = whole && Access.b == block::memory_order::k_contiguous;
    const int group = at.group, first = int(at.k_begin / depth),
              count = int(ceil_div<index>(at.k_count, depth));
    const auto pixels = index(args.sizes.batch) * view.pixels_of_image() * view.pixel;
    const block::tap_walk<depth> walk(block, view.taps(), view.channels, first);
    const block::window_source<in, depth, whole> windows(block, view, args.a + group * view.channels, args.a,
                                                         args.a + pixels, at.row, at.rows, walk);
    const auto filters = filter_rows<plain, whole>(
        view, filter, args.b + group * group_filters + at.in_group * filter.row_stride, args.b,
        args.b + group_filters * args.sizes.groups, at.columns, walk);
    at.k_count = index(count) * depth;
    multiply_sources<Policy, Access>(block, args, at, block::sources(windows, filters, walk));
}

template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void conv_forward(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    for (const block::split_work& work : tiles_of_groups<Policy>(block, args))
        multiply_windows<Policy, Access, Channels>(
            block, args, place_in_group<Policy, false>(args, work, work.layer, s.filters), forward_view(s),
            forward_filter(s), s.filters * s.filter_row());
}

/// Without strides every pixel of x sees all taps.
template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void conv_backward_data(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    for (const block::split_work& work : tiles_of_groups<Policy>(block, args))
        multiply_windows<Policy, Access, Channels>(
            block, args, place_in_group<Policy, false>(args, work, work.layer, s.dx_channels),
            backward_view(s, 0), backward_filter(s), s.filters * s.filter_row());
}

/// With strides a pixel of x sees those taps alone that reach it: layers of the launch are parts of x's
/// pixels that see the same ones. Some have fewer pixels than there are tiles.
template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void conv_backward_strided(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    for (const block::split_work& work : tiles_of_groups<Policy>(block, args)) {
        const auto part_and_group = block::split_number::of(work.layer, s.groups);
        const residue_arguments<Args> part(args, backward_view(s, part_and_group.whole));
        group_tile at = place_in_group<Policy, false>(part, work, part_and_group.part, s.dx_channels);
        if (at.rows <= 0) continue;
        const int chunks = ceil_div(s.filters, Policy.block_tile.k);
        at.k_count = part.view.taps().volume() * chunks * Policy.block_tile.k;
        multiply_windows<Policy, Access, Channels>(block, part, at, part.view, backward_filter(s),
                                                   s.filters * s.filter_row());
    }
}

/// The output's gradient as an operand whose rows are filters and whose k are pixels, up to the last one.
template <class In, class Args>
FADE_FN block::bounded_operand<In> pixel_gradient(const Args& args, const output_tile& at) {
    const index pixel = args.sizes.y_pixel();
    return {{args.a + at.row + at.k_begin * pixel, args.a, args.a + args.k * pixel, 1, pixel, at.rows},
            std::numeric_limits<int>::max()};
}

/// What pixels of y see, read from the arguments of the launch each time.
template <class Block, class Args>
struct pixel_places {
    const Args* args;
    FADE_FN block::window_view view() const { return forward_view(Block::reload_arguments(*args).sizes); }
    FADE_FN block::window_lookup lookup() const { return Block::reload_arguments(*args).pixels; }
};

/// The filter's gradient: rows are filters, columns taps and their channels, k the pixels of y. In runs
/// pixels are found by a table; the steps are whole, and what lies behind the last pixel reads as zero.
template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void multiply_pixels(Block& block, const Args& args, group_tile at) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    const conv_sizes& s = args.sizes;
    const block::window_view view = forward_view(s);
    const in* image = args.b + index(at.group) * s.channels;
    const index k_end = at.k_begin + at.k_count;
    const block::bounded_operand<in> gradient = pixel_gradient<in>(args, at);
    if constexpr (Channels == channel_access::chunks) {
        constexpr int depth = Policy.block_tile.k;
        const block::pixel_walk<in, depth, Block> pixels(
            view, args.pixels, image, args.b, args.b + s.batch * view.pixels_of_image() * view.pixel,
            at.k_begin, k_end, at.column, at.columns);
        at.k_count = ceil_div<index>(at.k_count, depth) * depth;
        multiply_tiles<Policy, Access>(block, args, at, block::sources(gradient, pixels));
    } else if constexpr (Channels == channel_access::elements) {
        const block::pixel_source<in> pixels(view, args.pixels, image, at.k_begin, k_end, at.column, args.n);
        multiply_tiles<Policy, Access>(block, args, at, block::sources(block::operand<in>(gradient), pixels));
    } else {
        constexpr int depth = Policy.block_tile.k;
        constexpr auto home = gemm_traits<typename Block::arch, in, Policy>::shared_bytes;
        const block::pixel_table<in, depth, Policy.block_tile.n, pixel_places<Block, Args>> pixels(
            block, {&args}, image, args.b, args.b + s.batch * view.pixels_of_image() * view.pixel, at.k_begin,
            k_end, at.column, at.columns, std::uint32_t(home));
        at.k_count = ceil_div<index>(at.k_count, depth) * depth;
        multiply_tiles<Policy, Access>(block, args, at, block::sources(gradient, pixels));
    }
}

template <gemm_policy Policy, gemm_access Access, channel_access Channels, wave_workgroup Block, class Args>
FADE_FN void conv_backward_weights(Block& block, const Args& args) {
    for (block::split_work work : tiles_of_groups<Policy>(block, args)) {
        // The compiler could divide on the vector unit, and with that bring operands by a loop over lanes.
        work.part = Block::uniform(work.part), work.layer = Block::uniform(work.layer);
        work.tile.row = Block::uniform(work.tile.row), work.tile.column = Block::uniform(work.tile.column);
        multiply_pixels<Policy, Access, Channels>(
            block, args, place_in_group<Policy, true>(args, work, work.layer, args.sizes.filters));
    }
}

}  // namespace FADE_NAMESPACE::kernel

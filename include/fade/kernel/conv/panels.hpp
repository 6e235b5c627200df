// Convolutions on the host: windows are gathered strip by strip, and multiplied as matrices are.
#pragma once
#include <fade/block/source/lines.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/panels.hpp>

namespace FADE_NAMESPACE::kernel {

/// Elements of what a workgroup gathers at once: a strip of A or a panel of B, as deep as a step may be. Two
/// bytes a k may be packed in a word.
template <class Traits>
inline constexpr int gathered_bytes = (Traits::strip > Traits::panel ? Traits::strip : Traits::panel) *
                                      Traits::max_depth * int(sizeof(typename Traits::element));

template <class Traits>
inline constexpr int conv_shared_bytes = Traits::shared_bytes + gathered_bytes<Traits>;

/// A workgroup's even share of what one group makes.
template <class Traits, class Args>
struct conv_share {
    output_tile at;
    index rows, columns;
    int group;

    conv_share(const Args& args, const block::split_work& work, bool groups_are_rows)
        : group(work.layer % args.sizes.groups) {
        const index all_rows = groups_are_rows ? args.m / args.sizes.groups : args.m,
                    all_columns = groups_are_rows ? args.n : args.n / args.sizes.groups;
        const index height = block::share_of<index>(all_rows, args.tile_rows, Traits::atom::m),
                    width = block::share_of<index>(all_columns, args.tile_columns, Traits::panel);
        const index row = work.tile.row * height, column = work.tile.column * width;
        const auto k = block::part_of<index>(0, args.k, args.k_split, work.part);
        at = {.row = row + (groups_are_rows ? group * all_rows : 0),
              .column = column + (groups_are_rows ? 0 : group * all_columns),
              .batch = 0,
              .layer = work.part,
              .k_begin = k.begin,
              .k_count = k.end - k.begin};
        rows = min_of(height, all_rows - row), columns = min_of(width, all_columns - column);
    }
    bool empty() const { return rows <= 0 || columns <= 0; }
};

template <class Block, class Args>
block::split_schedule shares_of_groups(const Block& block, const Args& args) {
    return {block, block::walk_by_columns(args.tile_rows, args.tile_columns), args.splits};
}
template <class In, class Traits>
In* gathered_in(std::byte* memory) {
    return reinterpret_cast<In*>(memory + Traits::shared_bytes);
}

template <class Traits, class In, workgroup Block, class Args>
void conv_forward_panels(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    const block::window_view view = forward_view(s);
    for (const block::split_work& work : shares_of_groups(block, args)) {
        const conv_share<Traits, Args> part(args, work, false);
        if (part.empty()) continue;
        const block::window_lines<In> a{view, args.a + part.group * s.channels,
                                        gathered_in<In, Traits>(block.shared)};
        const block::strided_lines<In> b{args.b, s.filter_row(), 1};
        walk_panels<Traits>(block.shared, args, a, b, part.at, int(part.rows), int(part.columns));
    }
}

/// A strip of windows and a panel of the filter share what is gathered: panels are packed before strips are.
template <class Traits, class In, workgroup Block, class Args>
void conv_data_panels(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    const block::filter_view filter = backward_filter(s);
    for (const block::split_work& work : shares_of_groups(block, args)) {
        const block::window_view view = backward_view(s, work.layer / s.groups);
        residue_arguments<Args> own(args, view);
        own.k = own.k_split = view.taps().volume() * s.filters;
        const conv_share<Traits, Args> part(own, work, false);
        if (part.empty()) continue;
        auto* gathered = gathered_in<In, Traits>(block.shared);
        const block::window_lines<In> a{view, args.a + part.group * s.filters, gathered};
        // Columns of the result count from the first group's.
        const block::filter_lines<In> b{
            view, filter, args.b + part.group * (s.filters * s.filter_row() - s.channels), gathered};
        walk_panels<Traits>(block.shared, own, a, b, part.at, int(part.rows), int(part.columns));
    }
}

template <class Traits, class In, workgroup Block, class Args>
void conv_weights_panels(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    const block::window_view view = forward_view(s);
    for (const block::split_work& work : shares_of_groups(block, args)) {
        const conv_share<Traits, Args> part(args, work, true);
        if (part.empty()) continue;
        const block::strided_lines<In> a{args.a, 1, s.y_pixel()};
        const block::pixel_lines<In> b{view, args.b + part.group * s.channels,
                                       gathered_in<In, Traits>(block.shared)};
        walk_panels<Traits>(block.shared, args, a, b, part.at, int(part.rows), int(part.columns));
    }
}

}  // namespace FADE_NAMESPACE::kernel

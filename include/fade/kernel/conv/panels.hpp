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
    std::byte* gathered;

    conv_share(const Args& args, int x, int z, std::byte* memory, bool groups_are_rows)
        : group(z / args.splits % args.sizes.groups), gathered(memory + Traits::shared_bytes) {
        const index all_rows = groups_are_rows ? args.m / args.sizes.groups : args.m,
                    all_columns = groups_are_rows ? args.n : args.n / args.sizes.groups;
        const index height = share<index>(all_rows, args.tile_rows, Traits::atom::m),
                    width = share<index>(all_columns, args.tile_columns, Traits::panel);
        const index row = x % args.tile_rows * height, column = x / args.tile_rows * width,
                    layer = z % args.splits, k_begin = layer * args.k_split;
        at = {.row = row + (groups_are_rows ? group * all_rows : 0),
              .column = column + (groups_are_rows ? 0 : group * all_columns),
              .batch = 0,
              .layer = layer,
              .k_begin = k_begin,
              .k_count = min_of(args.k - k_begin, args.k_split)};
        rows = min_of(height, all_rows - row), columns = min_of(width, all_columns - column);
    }
    bool empty() const { return rows <= 0 || columns <= 0; }
};

template <class Traits, class In, workgroup Block, class Args>
void conv_forward_panels(Block& block, const Args& args) {
    const conv_share<Traits, Args> part(args, block.id_x(), block.id_z(), block.shared, false);
    if (part.empty()) return;
    const conv_sizes& s = args.sizes;
    const block::window_view view = forward_view(s);
    const block::window_lines<In> a{view, args.a + part.group * s.channels,
                                    reinterpret_cast<In*>(part.gathered)};
    const block::strided_lines<In> b{args.b, s.filter_row(), 1};
    walk_panels<Traits>(block.shared, args, a, b, part.at, int(part.rows), int(part.columns));
}

/// A strip of windows and a panel of the filter share what is gathered: panels are packed before strips are.
template <class Traits, class In, workgroup Block, class Args>
void conv_data_panels(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    const int residue = block.id_z() / args.splits / s.groups;
    const block::window_view view = backward_view(s, residue);
    residue_arguments<Args> own(args, view);
    own.k = own.k_split = view.taps().volume() * s.filters;
    const conv_share<Traits, Args> part(own, block.id_x(), block.id_z(), block.shared, false);
    if (part.empty()) return;
    const auto filter = backward_filter(s);
    auto* gathered = reinterpret_cast<In*>(part.gathered);
    const block::window_lines<In> a{view, args.a + part.group * s.filters, gathered};
    // Columns of the result count from the first group's.
    const block::filter_lines<In> b{
        view, filter, args.b + part.group * (s.filters * s.filter_row() - s.channels), gathered};
    walk_panels<Traits>(block.shared, own, a, b, part.at, int(part.rows), int(part.columns));
}

template <class Traits, class In, workgroup Block, class Args>
void conv_weights_panels(Block& block, const Args& args) {
    const conv_share<Traits, Args> part(args, block.id_x(), block.id_z(), block.shared, true);
    if (part.empty()) return;
    const conv_sizes& s = args.sizes;
    const block::window_view view = forward_view(s);
    const block::strided_lines<In> a{args.a, 1, s.y_pixel()};
    const block::pixel_lines<In> b{view, args.b + part.group * s.channels,
                                   reinterpret_cast<In*>(part.gathered)};
    walk_panels<Traits>(block.shared, args, a, b, part.at, int(part.rows), int(part.columns));
}

}  // namespace FADE_NAMESPACE::kernel

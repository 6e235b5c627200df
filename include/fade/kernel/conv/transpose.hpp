// Copies of images with their channels in another place: last, or before the dimensions.
#pragma once
#include <fade/block/schedule/split.hpp>
#include <fade/block/transpose.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::kernel {

/// Images, each a packed matrix of rows and columns, of which columns become rows.
template <class T>
struct transpose_arguments {
    const T* from;
    T* to;
    index rows, columns;
    index column_tiles, tiles;  ///< of one image
};

/// How many tiles an image has.
inline index transpose_tiles(index rows, index columns) {
    return ceil_div<index>(rows, block::transposed_edge) * ceil_div<index>(columns, block::transposed_edge);
}

template <class T>
transpose_arguments<T> transpose_of(const T* from, T* to, index rows, index columns) {
    return {from,
            to,
            rows,
            columns,
            ceil_div<index>(columns, block::transposed_edge),
            transpose_tiles(rows, columns)};
}

/// Workgroups are the tiles of all images.
template <workgroup Block, class T>
FADE_FN void transpose_images(Block& block, const transpose_arguments<T>& args) {
    for (const block::split_line_work& work : block::split_line_schedule(block, int(args.tiles))) {
        const index first = work.tile * args.rows * args.columns;
        const auto tile = block::split_number::of(work.part, int(args.column_tiles));
        block::transpose_tile(block, args.from + first, args.to + first, args.rows, args.columns,
                              index(tile.whole) * block::transposed_edge,
                              index(tile.part) * block::transposed_edge);
    }
}

}  // namespace FADE_NAMESPACE::kernel

// The operands and the result of a matrix multiplication as a copy unit sees them.
#pragma once
#include <cstdint>
#include <fade/block/copy.hpp>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::kernel {

/// Rows of a tile that a box brings: copies of rows that do not exist take longer than those of others, and
/// what rows of D that do not exist are made of does not matter.
FADE_FN constexpr int rows_of_box(block::memory_order order, int tile_rows, index rows) {
    return order == block::memory_order::row_contiguous ? tile_rows : int(min_of<index>(tile_rows, rows));
}

/// Does each workgroup of a cluster bring a part of the k of all boxes? Where an operand lies along rows its
/// boxes have 64 of those, and a cluster may have more workgroups than there are boxes.
FADE_FN constexpr bool shares_k(block::memory_order order, int tile_rows, int cluster) {
    return cluster > 1 && order == block::memory_order::row_contiguous && tile_rows / 64 % cluster != 0;
}

/// Rows of an operand and their k, of which one lies contiguous: a box has 64 of those, and all of a tile's
/// others. Batches that repeat one matrix are one.
template <class T>
FADE_FN tile_source operand_to_map(const T* begin, block::memory_order order, index rows, index k,
                                   index apart, int batches, index stride, tile_shape tile, int tile_rows) {
    const bool along_rows = order == block::memory_order::row_contiguous;
    return {.base = begin,
            .columns = int(along_rows ? rows : k),
            .positions = int(along_rows ? k : rows),
            .heads = 1,
            .batches = stride == 0 ? 1 : batches,
            .position = apart,
            .head = 0,
            .batch = stride,
            .box = along_rows ? tile.k : tile_rows,
            .bytes = int(sizeof(T))};
}
/// What the workgroups of a cluster bring for each other comes in parts of one height.
template <class Args>
FADE_FN tile_source a_to_map(const Args& args, block::memory_order order, tile_shape tile, int cluster = 1) {
    const int rows = cluster > 1 ? tile.m / cluster : rows_of_box(order, tile.m, args.m);
    if (shares_k(order, tile.m, cluster)) tile.k /= cluster;
    tile_source out = operand_to_map(args.a, order, args.m, args.k, args.a_k == 1 ? args.a_row : args.a_k,
                                     args.batches, args.stride_a, tile, rows);
    if (cluster == 1) out.unused = tile.m - rows;
    return out;
}
template <class Args>
FADE_FN tile_source b_to_map(const Args& args, block::memory_order order, tile_shape tile, int cluster) {
    const int rows = cluster > 1 ? tile.n / cluster : rows_of_box(order, tile.n, args.n);
    if (shares_k(order, tile.n, cluster)) tile.k /= cluster;
    tile_source out = operand_to_map(args.b, order, args.n, args.k, args.b_k == 1 ? args.b_column : args.b_k,
                                     args.batches, args.stride_b, tile, rows);
    if (cluster == 1) out.unused = tile.n - rows;
    return out;
}
/// Bytes of a tile that its boxes leave out.
template <class Layout>
FADE_FN int bytes_left_out(const tile_source& boxes) {
    return boxes.unused * (Layout::bytes / Layout::rows);
}

/// Boxes of 64 rows of results.
template <class T>
FADE_FN tile_source result_to_map(const T* begin, index m, index n, index apart, int layers, index stride) {
    return {.base = begin,
            .columns = int(n),
            .positions = int(m),
            .heads = 1,
            .batches = layers,
            .position = apart,
            .head = 0,
            .batch = stride,
            .box = 64,
            .bytes = int(sizeof(T))};
}
/// Where a batch's results lie in D: groups of rows, which a list may name, have one D together.
template <class Args>
FADE_FN int layer_of_output(const Args& args, index batch) {
    if constexpr (requires { args.row_list; })
        return 0;
    else
        return int(batch);
}
template <class Args>
FADE_FN tile_source d_to_map(const Args& args) {
    return result_to_map(args.d, args.m, columns_of_output(args), args.ldd,
                         layer_of_output(args, args.batches - 1) + 1, args.stride_d);
}
template <class Args>
FADE_FN tile_source partial_to_map(const Args& args) {
    return result_to_map(args.partial, args.m, args.n, args.n, args.batches * args.splits, args.m * args.n);
}

/// Sums of tiles that clusters share, a tile behind the other.
template <class Args>
FADE_FN tile_source tail_to_map(const Args& args) {
    const auto& tail = args.tail;
    return result_to_map(args.partial, index(tail.shares.places()) * tail.cluster * tail.tile_rows,
                         tail.tile_columns, tail.tile_columns, 1, 0);
}

/// What a launch stores to: D, or sums.
template <class Args>
FADE_FN tile_source stored_to_map(const Args& args) {
    return args.splits > 1 ? partial_to_map(args) : d_to_map(args);
}

/// Can the copy unit store there? Its rows begin and end at multiples of 16 bytes: an H200 wrote the last 16
/// whole, beyond the columns of the map.
inline bool takes_boxes(const tile_source& to) {
    return reinterpret_cast<std::uintptr_t>(to.base) % 16 == 0 && to.position * to.bytes % 16 == 0 &&
           to.columns * to.bytes % 16 == 0 && (to.batches == 1 || to.batch * to.bytes % 16 == 0);
}

}  // namespace FADE_NAMESPACE::kernel

// A tile of a matrix, stored with its rows as columns.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::block {

/// Rows and columns of a tile that a workgroup transposes in shared memory, so that both sides of the copy
/// touch memory in order.
inline constexpr int transposed_edge = 32;
/// Rows are an element longer there, so that a column lies in many banks.
inline constexpr int transposed_pitch = transposed_edge + 1;
template <class T>
inline constexpr int transpose_shared_bytes = transposed_edge * transposed_pitch * int(sizeof(T));

/// to[column][row] = from[row][column] for the tile that begins at `row` and `column`, both of packed
/// matrices; of a tile that reaches beyond the matrix, what there is.
template <class T, workgroup Block>
FADE_FN void transpose_tile(Block& block, const T* from, T* to, index rows, index columns, index row,
                            index column) {
    using held = vec<T, 1>;
    constexpr int edge = transposed_edge;
    const auto offset = [](int r, int c) {
        return std::uint32_t((r * transposed_pitch + c) * int(sizeof(T)));
    };
    const auto inside = [&](int r, int c) { return row + r < rows && column + c < columns; };
    block.each_lane([&](lane_coord p) {
        for (int i = p.wave * Block::wave_size + p.lane; i < edge * edge; i += Block::threads)
            if (const int r = i / edge, c = i % edge; inside(r, c))
                block.store_shared(p, offset(r, c), held{from[(row + r) * columns + column + c]});
    });
    block.sync();
    block.each_lane([&](lane_coord p) {
        for (int i = p.wave * Block::wave_size + p.lane; i < edge * edge; i += Block::threads)
            if (const int r = i % edge, c = i / edge; inside(r, c))
                to[(column + c) * rows + row + r] = block.template load_shared<held>(p, offset(r, c))[0];
    });
}

}  // namespace FADE_NAMESPACE::block

// Operands at equal distances: matrices, and one head of a tensor.
#pragma once
#include <fade/block/source/rows.hpp>
#include <fade/block/source/source.hpp>

namespace FADE_NAMESPACE::block {

/// The rows of an operand that one workgroup needs. Strides count elements; `row_stride` or `k_stride` is 1
/// unless the order is strided.
template <class T>
struct operand {
    using element = T;
    static constexpr bool scattered = false;
    const T* tile;         ///< element (0, 0) of the workgroup's part
    const T *begin, *end;  ///< extent of the matrix, for those who check
    index row_stride, k_stride;
    int rows;  ///< how many rows exist, at most those of the tile

    FADE_FN constexpr bool holds(int row, int) const { return row < rows; }
    FADE_FN constexpr bool holds_depth(int) const { return true; }
    /// Bytes from the tile's first element.
    FADE_FN constexpr std::uint32_t offset(int row, int k) const {
        return std::uint32_t((row * row_stride + k * k_stride) * index(sizeof(T)));
    }
    /// How many k of the current step exist, of `depth`.
    FADE_FN static constexpr int depth_now(int depth) { return depth; }
    FADE_FN constexpr void advance(index steps) { tile += steps * k_stride; }
    FADE_FN constexpr void advance_rows(index steps) { tile += steps * row_stride; }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global(tile, begin, end);
    }
};

/// An operand that is walked along its rows or along k up to `end`: what lies beyond reads as zero, by the
/// range check of the memory access.
template <class T>
struct bounded_operand : operand<T> {
    int depth;  ///< how many k exist

    FADE_FN constexpr bool holds(int row, int k) const { return row < this->rows && k < depth; }
    FADE_FN constexpr bool holds_depth(int k) const { return k < depth; }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global_bounded(this->tile, this->end);
    }
};

/// Rows at equal distances.
template <class T>
struct strided_rows {
    using element = T;
    static constexpr bool looked_up = false;
    const T* first;
    int stride;
    FADE_FN static constexpr int find(int row) { return row; }
    FADE_FN static constexpr bool holds(int) { return true; }
    FADE_FN const T* at(int row) const { return first + distance(row); }
    FADE_FN index distance(int rows) const { return index(rows) * stride; }
};

}  // namespace FADE_NAMESPACE::block

// What a workgroup copies from one matrix: which part, in which memory order, in which steps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// How the elements of an operand lie in global memory.
enum class memory_order {
    k_contiguous,    ///< consecutive k, in aligned runs of 16 bytes
    row_contiguous,  ///< consecutive rows, in aligned runs of 16 bytes
    strided          ///< any strides, any alignment: element by element
};

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

/// Are places looked up? Then find(position) may take a while, holds(what it found) says whether there is
/// such a place, and at(what it found) where that is.
template <class Place>
concept looked_up = requires { typename Place::entry; };

/// Positions of which each lies where `place(position)` points, as the rows of paged memory do; their
/// elements lie side by side in aligned runs of 16 bytes. Positions are rows, or k where `Transposed`. From
/// `end` on, and beyond `columns`, is read as zero, and so are places that are looked up and not there.
template <class Place, bool Transposed>
struct scattered_operand {
    using element = typename Place::element;
    static constexpr bool scattered = true;
    Place place;
    int first, end, columns;
    int first_column = 0;

    FADE_FN constexpr void advance(index steps) { (Transposed ? first : first_column) += int(steps); }
    FADE_FN constexpr void advance_rows(index rows) { (Transposed ? first_column : first) += int(rows); }
    template <class Words, class Block>
    FADE_FN Words load(const Block& block, bool wanted, int row, int k) const {
        const int position = first + (Transposed ? k : row), column = first_column + (Transposed ? row : k);
        const bool there = wanted && position < end && column < columns;
        if constexpr (looked_up<Place>) {  // position 0 stands for others, so that no branch lies around it
            const auto found = place.find(there ? position : 0);
            return block.template load_anywhere<Words>(there && place.holds(found), place.at(found) + column);
        } else
            return block.template load_anywhere<Words>(there, there ? place(position) + column : nullptr);
    }
};

}  // namespace FADE_NAMESPACE::block

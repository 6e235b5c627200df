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

/// Scalar instructions that a step of a source takes, where those are more than a few.
template <class Source>
inline constexpr int scalars_of_step = 0;
template <class Source>
    requires requires { Source::scalars; }
inline constexpr int scalars_of_step<Source> = Source::scalars;

/// What a lane must remember of its rows to know at each step which of them exist: for sources of which rows
/// come and go as k moves on, a word of condition(row) for each; else nothing.
template <class Source, int Rows>
struct source_conditions {
    FADE_FN void set(int, const Source&, int) {}
    FADE_FN static constexpr bool hold(int, const Source&) { return true; }
};
template <class Source, int Rows>
    requires requires(const Source& from) { from.condition(0); }
struct source_conditions<Source, Rows> {
    std::uint32_t word[Rows];
    FADE_FN void set(int i, const Source& from, int row) { word[i] = from.condition(row); }
    FADE_FN bool hold(int i, const Source& from) const { return from.holds_now(word[i]); }
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

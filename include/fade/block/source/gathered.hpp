// An operand whose rows lie anywhere.
#pragma once
#include <fade/block/source/rows.hpp>
#include <fade/block/source/source.hpp>

namespace FADE_NAMESPACE::block {

/// The rows of a row_range as an operand: they are its rows, or its k where `Transposed`. From the end on,
/// and beyond the columns, is read as zero, and so are rows that are looked up and not there.
template <row_source Rows, bool Transposed>
struct gathered_source {
    using element = typename Rows::element;
    static constexpr bool scattered = true;
    row_range<Rows> from;
    int first_column = 0;

    FADE_FN constexpr void advance(index steps) { (Transposed ? from.begin : first_column) += int(steps); }
    FADE_FN constexpr void advance_rows(index rows) { (Transposed ? first_column : from.begin) += int(rows); }
    template <class Words, class Block>
    FADE_FN Words load(const Block& block, bool wanted, int row, int k) const {
        const int position = from.begin + (Transposed ? k : row),
                  column = first_column + (Transposed ? row : k);
        const bool there = wanted && position < from.end && column < from.columns;
        if constexpr (Rows::looked_up) {  // position 0 stands for others, so that no branch lies around it
            const auto found = from.rows.find(there ? position : 0);
            return block.template load_anywhere<Words>(there && from.rows.holds(found),
                                                       from.rows.at(found) + column);
        } else
            return block.template load_anywhere<Words>(
                there, there ? from.rows.at(from.rows.find(position)) + column : nullptr);
    }
};

}  // namespace FADE_NAMESPACE::block

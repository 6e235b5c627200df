// From matrices in global memory to operands in shared memory.
#pragma once
#include <fade/block/copy.hpp>
#include <fade/block/source/paged.hpp>
#include <fade/block/tile/shared.hpp>

namespace FADE_NAMESPACE::tile {

/// Rows x columns elements of a row-major matrix from `first` on, `ld` elements from row to row. What a tile
/// covers beyond them reads as zero and is not written. To load from it, `first` and rows are aligned to 16
/// bytes.
template <class T>
struct matrix {
    T* first;     ///< element (0, 0)
    int rows;     ///< that exist
    int columns;  ///< that exist
    index ld;     ///< elements from row to row
    /// The same, in this order.
    FADE_FN constexpr matrix(T* first_element, int row_count, int column_count, index leading_dimension)
        : first(first_element), rows(row_count), columns(column_count), ld(leading_dimension) {}
    /// Behind its last element.
    FADE_FN constexpr T* end() const { return rows > 0 ? first + index(rows - 1) * ld + columns : first; }
};

/// How many rows a page has: made on the host, where it is divided once, and handed over with the arguments.
using block::page_size;

/// The same of a matrix whose rows lie in pages, as those of a cache do: row r is row r % page_rows of page
/// pages[r / page_rows]. Pages below 0 are not there, and read as zero. Tiles are copied from it, none to it.
template <class T>
struct paged_matrix {
    const T* first;     ///< element (0, 0) of page 0
    const int* pages;   ///< the page of each page_rows rows
    page_size size;     ///< of a page
    index page_stride;  ///< elements from page to page
    int rows;           ///< that exist
    int columns;        ///< that exist
    int ld;             ///< elements from row to row of a page
};

namespace detail {

/// Where a tile of this order finds the rows of a matrix, up to its ends.
template <memory_order Order, class T>
FADE_FN auto source_of(const matrix<T>& m) {
    using element = std::remove_const_t<T>;
    constexpr int unbounded = 1 << 30;  // the end of memory bounds them
    if constexpr (Order == memory_order::row_contiguous)
        return block::bounded_operand<element>{{m.first, m.first, m.end(), 1, m.ld, m.columns}, unbounded};
    else
        return block::bounded_operand<element>{{m.first, m.first, m.end(), m.ld, 1, unbounded}, m.columns};
}

/// Rows in pages as an operand: they are its rows, or its k where `Transposed`.
template <class T, bool Transposed>
struct page_source {
    using element = T;
    static constexpr bool scattered = true;
    block::paged_rows<T> rows;
    int first_row, first_column, end_row, end_column;

    FADE_FN constexpr void advance(index steps) { (Transposed ? first_row : first_column) += int(steps); }
    FADE_FN constexpr void advance_rows(index n) { (Transposed ? first_column : first_row) += int(n); }
    template <class Words, class Block>
    FADE_FN Words load(const Block& block, bool wanted, int row, int k) const {
        const int at = first_row + (Transposed ? k : row), column = first_column + (Transposed ? row : k);
        const bool exists = wanted && at < end_row && column < end_column;
        const auto found = rows.find(exists ? at : 0);  // row 0 stands for others: no branch lies around it
        const bool there = exists && rows.holds(found);
        const T* from = there ? rows.at(found) + column : rows.head;
        if constexpr (Block::wave_size > 1)
            return block.template load_anywhere<Words>(there, from);
        else {
            Words out{};
            if (there) __builtin_memcpy(&out, from, sizeof out);
            return out;
        }
    }
};
template <memory_order Order, class T>
FADE_FN auto source_of(const paged_matrix<T>& m) {
    return page_source<T, Order == memory_order::row_contiguous>{
        {m.first, {m.pages, m.size}, m.page_stride, m.ld}, 0, 0, m.rows, m.columns};
}

}  // namespace detail

/// Copies tile after tile of a matrix, or of a paged_matrix: `load` leaves values in flight in registers,
/// `store` puts them into shared memory. Made before a loop, since it holds every lane's addresses. The
/// caller synchronises.
template <class Block, class Tile, class Matrix>
class loader {
    static constexpr bool transposed = Tile::order == memory_order::row_contiguous;
    using source = decltype(detail::source_of<Tile::order>(std::declval<const Matrix&>()));

public:
    /// Of the tile `to`, from the first rows and columns of `from`.
    FADE_FN loader(Block& block, const Tile& to, const Matrix& from)
        : to_{to.base}, loader_(block, detail::source_of<Tile::order>(from)) {}

    /// Begins to load a tile.
    FADE_FN void load(Block& block) { loader_.load(block); }
    /// The same where only so many steps of the tile's depth exist; the others read as zero.
    FADE_FN void load(Block& block, int depth) { loader_.load_edge(block, depth); }
    /// Puts what was loaded into shared memory.
    FADE_FN void store(Block& block) { loader_.store(block, to_); }
    /// Later loads begin so many rows of the matrix further on.
    FADE_FN void advance_rows(int rows) { transposed ? loader_.advance(rows) : loader_.advance_rows(rows); }
    /// And so many columns.
    FADE_FN void advance_columns(int columns) {
        transposed ? loader_.advance_rows(columns) : loader_.advance(columns);
    }

private:
    block::shared_tile<typename Tile::layout> to_;
    block::tile_loader<Block, typename source::element, typename Tile::layout, Tile::order, source> loader_;
};
/// Copies one tile. Who reads it synchronises first, and so does who overwrites it.
template <class Block, class Tile, class Matrix>
FADE_FN void copy(Block& block, const Tile& to, const Matrix& from) {
    loader<Block, Tile, Matrix> loads(block, to, from);
    loads.load(block);
    loads.store(block);
}

}  // namespace FADE_NAMESPACE::tile

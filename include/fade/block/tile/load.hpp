// From matrices in global memory to operands in shared memory.
#pragma once
#include <fade/block/copy.hpp>
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
};

/// Copies tile after tile of a matrix: `load` leaves values in flight in registers, `store` puts them into
/// shared memory. Made before a loop, since it holds every lane's addresses. The caller synchronises.
template <class Block, class Tile, class T>
class loader {
    using element = std::remove_const_t<T>;
    static constexpr bool transposed = Tile::order == memory_order::row_contiguous;
    using source = block::bounded_operand<element>;

public:
    /// Of the tile `to`, from the first rows and columns of `from`.
    FADE_FN loader(Block& block, const Tile& to, const matrix<T>& from)
        : to_{to.base}, loader_(block, source_of(from)) {}

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
    FADE_FN static source source_of(const matrix<T>& m) {
        constexpr int unbounded = 1 << 30;  // the end of memory bounds them
        const element* end = m.rows > 0 ? m.first + index(m.rows - 1) * m.ld + m.columns : m.first;
        if constexpr (transposed)
            return {{m.first, m.first, end, 1, m.ld, m.columns}, unbounded};
        else
            return {{m.first, m.first, end, m.ld, 1, unbounded}, m.columns};
    }
    block::shared_tile<typename Tile::layout> to_;
    block::tile_loader<Block, element, typename Tile::layout, Tile::order, source> loader_;
};
/// Copies one tile. Who reads it synchronises first, and so does who overwrites it.
template <class Block, class Tile, class T>
FADE_FN void copy(Block& block, const Tile& to, const matrix<T>& from) {
    loader<Block, Tile, T> loads(block, to, from);
    loads.load(block);
    loads.store(block);
}

}  // namespace FADE_NAMESPACE::tile

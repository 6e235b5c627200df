// The k largest elements of each column.
#pragma once
#include <fade/block/row/column_lists.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In, class Out>
struct top_k_columns_arguments {
    row_tensor<const In> x;
    Out* values;  ///< [k, columns]; null: not wanted
    int* places;  ///< likewise
    index rows;
    int columns, k, parts;
    placed_number* found;  ///< [parts, k, columns]; null where one part finishes

    FADE_FN void store(int i, int column, const placed_number& element) const {
        const index at = index(i) * columns + column;
        if (values) values[at] = convert<Out>(element.number());
        if (places) places[at] = element.place;
    }
};

/// A share of the rows of some columns.
template <int Capacity, class Block, class Args>
FADE_FN void top_k_columns_body(Block& block, const Args& a) {
    const index share = ceil_div(a.rows, index(a.parts)), begin = block.id_y() * share;
    block::column_lists<Block, Capacity> lists(block, block.id_x() * block::columns_of_lists(Block::threads),
                                               a.columns, a.k);
    lists.add_rows(a.x, begin, min_of(begin + share, a.rows));
    placed_number* const found = a.found + index(block.id_y()) * a.k * a.columns;
    lists.each_found([&](int i, int column, const placed_number& x) FADE_LAMBDA {
        if (a.found)
            found[index(i) * a.columns + column] = x;
        else
            a.store(i, column, x);
    });
}

/// The first of what the shares have found.
template <int Capacity, class Block, class Args>
FADE_FN void finish_top_k_columns_body(Block& block, const Args& a) {
    block::column_lists<Block, Capacity> lists(block, block.id_x() * block::columns_of_lists(Block::threads),
                                               a.columns, a.k);
    for (int part = 0; part < a.parts; ++part) lists.add_list(a.found + index(part) * a.k * a.columns);
    lists.each_found([&](int i, int column, const placed_number& x) FADE_LAMBDA { a.store(i, column, x); });
}

}  // namespace FADE_NAMESPACE::kernel

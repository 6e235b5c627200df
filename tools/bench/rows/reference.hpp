// Independent row operators in double precision, a row or column at a time.
#pragma once
#include "data.hpp"
#include <map>
#include <string_view>
#include <vector>

namespace fade::bench {

/// What a row of a tensor should be. `scale` is the size of the terms of each value, where they may cancel;
/// else it is empty.
struct expected_values {
    std::vector<double> value, scale;
};
using expected_row = std::map<std::string_view, expected_values>;

/// Sums over rows, by columns: of values, and of the squares of their terms.
struct column_sums {
    explicit column_sums(index columns) : value(columns), squares(columns) {}
    void add(index column, double term) { value[column] += term, squares[column] += term * term; }
    void add(const column_sums& other);

    std::vector<double> value, squares;
};
struct weight_gradients {
    explicit weight_gradients(index columns) : dweight(columns), dbias(columns) {}
    column_sums dweight, dbias;
};

/// What the operator should write to row `line` of each of its results, or of column `line` where columns
/// have results. A norm's backward pass also adds what the row gives to the gradients of the weights.
expected_row reference_of(const rows_request& request, const rows_data& data, index line,
                          weight_gradients& weights);

}  // namespace fade::bench

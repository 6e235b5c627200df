// A row operator with its inputs made, ready to run.
#pragma once
#include "../matrix.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// Share of a norm that keeps its root from 0, and the label of rows that have no loss: fade's own defaults.
inline constexpr double norm_epsilon = 1e-5;
inline constexpr int ignored_row_label = -100;

/// What a problem reads and writes.
std::vector<matrix> tensors_of(const rows_request& request);

/// The names of what it writes, the main result first.
std::vector<std::string_view> names_written(const rows_request& request);

class rows_data {
public:
    explicit rows_data(const rows_request& request);

    const rows_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }

private:
    void make(const buffer& b);

    const rows_request* request_;
    buffer_set buffers_;
    rows_call call_;
};

/// A row of a tensor as doubles.
std::vector<double> row_of(const buffer& b, index row);

/// Where elements of a tensor lie: the first, and how many elements from one to the next.
struct line_place {
    index first, step, count;
};
std::vector<double> values_of(const buffer& b, const line_place& at);

/// Of a row, or of a column where columns have results: where its `count` elements lie in a tensor that has
/// all of it, or in one that has a value or the k best of each.
line_place place_of(const rows_request& request, const matrix& m, index line, index count);

/// A call whose addresses mean nothing but alignment: enough to choose a kernel for a problem of any size.
rows_call call_without_memory(const rows_request& request);

}  // namespace fade::bench

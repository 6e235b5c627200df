// An independent result in double precision (sums of doubles in extended precision), a tile at a time.
#pragma once
#include "data.hpp"
#include <functional>
#include <vector>

namespace fade::bench {

/// A part of the reference: some rows of a batch, and a range of columns.
struct reference_tile {
    index batch;
    const index* rows;
    index row_count, first_column, column_count;
    const double* values;  ///< row_count rows of column_count values
};

/// Computes these rows of every batch on all cores. `visit` is called from several threads at once.
void compute_reference(const gemm_request& request, const gemm_data& data, const std::vector<index>& rows,
                       const std::function<void(const reference_tile&)>& visit);

}  // namespace fade::bench

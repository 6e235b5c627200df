// Products in double precision, of matrices that are read as docs/ says they lie.
#pragma once
#include "data.hpp"
#include <functional>

namespace fade::bench {

/// What fills `to` with consecutive columns of B: k numbers of the first, and so on.
using column_reader = std::function<void(index first, index count, double* to)>;

/// The columns of B, or of the B of that number; for weights and 8-bit floats those that they stand for.
column_reader columns_of(const product_request& request, const buffer_set& from, index group);

/// The row of A that row i of D is made of, with its scales.
std::vector<double> row_of_a(const product_request& request, const buffer_set& from, index i);

/// Rows of D as doubles, row after row.
std::vector<double> expected_rows(const product_request& request, const product_data& data,
                                  const std::vector<index>& rows);

/// What a gate makes of two neighbours.
double gated(gate_kind gate, double left, double right);

}  // namespace fade::bench

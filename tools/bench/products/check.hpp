// Is what a product wrote right?
#pragma once
#include "data.hpp"

namespace fade::bench {

/// Compares D with the reference: all rows, or, where those are more work than some seconds, rows chosen at
/// random (rows_checked of rows). A mixture's tables are compared beside it, all of them.
check_result check_output(const product_request& request, const product_data& data);

/// Rounding of the output, plus (8 + 4 sqrt(k)) roundings of the accumulator, but those no more than 1e-5. A
/// gate has four times as many of the accumulator; a mixture three of the output, for it has three results.
double error_bound(const product_request& request);

/// Rows of D that are compared.
std::vector<index> rows_to_check(const product_request& request);

/// The names of what a problem writes and a check compares, D first.
std::vector<std::string_view> products_written(const product_request& request);

}  // namespace fade::bench

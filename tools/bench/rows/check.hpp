// Are the results of a row operator right?
#pragma once
#include "../check.hpp"
#include "data.hpp"

namespace fade::bench {

/// Compares all results with the reference: all rows, or, where those are more work than some seconds, rows
/// chosen at random (rows_checked of rows; or columns, where those have results). Gradients of weights are
/// sums over all rows, so that backward passes of norms compare all.
check_result check_output(const rows_request& request, const rows_data& data);

/// The relative error that a result may have.
double error_bound(const rows_request& request, const matrix& result);

}  // namespace fade::bench

// Is the result of a convolution right?
#pragma once
#include "../check.hpp"
#include "data.hpp"

namespace fade::bench {

/// Compares the result with the reference: all of it, or, where that is more work than some seconds, rows
/// chosen at random (rows_checked of rows): pixels of y or dx, filters of dw.
check_result check_output(const conv_request& request, const conv_data& data);

/// The relative error that the result may have.
double error_bound(const conv_request& request);

}  // namespace fade::bench

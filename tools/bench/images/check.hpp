// Are the results of an operator over images right?
#pragma once
#include "../check.hpp"
#include "data.hpp"

namespace fade::bench {

/// Compares all results with the reference: all planes (channels of batch_norm, images of the gradients of
/// grid_sample), or, where those are more work than some seconds, some chosen at random.
check_result check_output(const image_request& request, const image_data& data);

/// The relative error that a result may have.
double error_bound(const image_request& request, const matrix& result);

}  // namespace fade::bench

// Is the output of an attention right?
#pragma once
#include "../check.hpp"
#include "data.hpp"

namespace fade::bench {

/// Compares o and lse with the reference: all queries, or, where those are more work than some seconds,
/// queries chosen at random (rows_checked of rows, a row being a query of a head).
check_result check_output(const attention_request& request, const attention_data& data);

/// Relative errors that o and lse may have.
struct attention_bounds {
    double o, lse;
};
attention_bounds bounds_of(const attention_request& request);

}  // namespace fade::bench

// Is the output of a multiplication right?
#pragma once
#include "../check.hpp"
#include "data.hpp"

namespace fade::bench {

/// Compares the output of a problem with the reference: all of its rows, or, where those are more work
/// than some seconds, rows chosen at random (rows_checked of rows). ||ref|| counts as no less than a
/// quarter of what outputs without an epilogue have, for a few outputs may cancel.
check_result check_output(const gemm_request& request, const gemm_data& data);

/// Of several problems, the worst.
check_result worst(const check_result& one, const check_result& other);

/// The bound: rounding of the output, plus (8 + 4 sqrt(k)) roundings of the accumulator, but those no more
/// than 1e-5 (f32) or 1e-12 (f64). Integers are exact.
double error_bound(const gemm_request& request, const gemm_problem& problem);

}  // namespace fade::bench

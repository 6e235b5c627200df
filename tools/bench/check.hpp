// Is an output right?
#pragma once
#include <string>
#include <vector>
#include "data.hpp"

namespace fade::bench {

/// What a comparison with the reference found.
struct check_result {
    double rel_err = 0;      ///< ||out - ref|| / ||ref||
    double max_abs_err = 0;
    double bound = 0;        ///< what rel_err may be
    index wrong_kind = 0;    ///< NaN or infinity where the reference has none, or the other way round
    index outside = 0;       ///< bytes written outside of the output
    index rows = 0, rows_checked = 0;
    std::vector<std::string> faults{};  ///< what an emulated device noticed

    bool ok() const { return rel_err <= bound && wrong_kind == 0 && outside == 0 && faults.empty(); }
};

/// Compares the output of a problem with the reference: all of its rows, or, where those are more work
/// than some seconds, rows chosen at random (rows_checked of rows). ||ref|| counts as no less than a
/// quarter of what outputs without an epilogue have, for a few outputs may cancel.
check_result check_output(const gemm_request& request, const gemm_data& data);

/// Of several problems, the worst.
check_result worst(const check_result& one, const check_result& other);

/// The bound: rounding of the output, plus (8 + 4 sqrt(k)) roundings of the accumulator, but those no more than
/// 1e-5 (f32) or 1e-12 (f64). Integers are exact.
double error_bound(const gemm_request& request, const gemm_problem& problem);

}  // namespace fade::bench

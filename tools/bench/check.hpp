// Is an output right? What comparisons with a reference find.
#pragma once
#include "element.hpp"
#include <cmath>
#include <string>
#include <vector>

namespace fade::bench {

/// Sums over the elements compared so far.
struct comparison {
    double error = 0, norm = 0, max = 0;
    index wrong_kind = 0, count = 0;

    void add(double got, double want);
    void add(const comparison& other);
    /// ||out - ref|| / ||ref||, where ||ref|| counts as no less than `min`.
    double relative(double min) const;
};

/// A value beyond the largest of the type is infinite in it.
double in_range(double x, const element& type);

/// A comparison of something that is computed beside the output.
struct side_check {
    std::string name;
    double rel_err, bound;
    index wrong_kind;

    bool ok() const { return rel_err <= bound && wrong_kind == 0; }
};

/// What a comparison with the reference found.
struct check_result {
    double rel_err = 0;  ///< ||out - ref|| / ||ref||
    double max_abs_err = 0;
    double bound = 0;      ///< what rel_err may be
    index wrong_kind = 0;  ///< NaN or infinity where the reference has none, or the other way round
    index outside = 0;     ///< bytes written outside of the output
    index rows = 0, rows_checked = 0;
    std::vector<side_check> beside{};
    std::vector<std::string> faults{};  ///< what an emulated device noticed

    bool ok() const;
};

}  // namespace fade::bench

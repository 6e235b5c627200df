// The results of a problem, each of which is compared with what it should be.
#pragma once
#include "check.hpp"
#include "matrix.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {

/// A result against what it should be, and the size of the terms that made it.
struct comparison_of_terms {
    comparison found;
    double terms = 0;  ///< the sum of their squares

    void add(const comparison_of_terms& other) { found.add(other.found), terms += other.terms; }

    /// Where terms cancel, errors are held against their size. Results that round and are too small for their
    /// type are off by half its smallest number each.
    side_check judged(const matrix& m, double bound) const {
        const double norm = std::max(std::sqrt(found.norm), std::sqrt(terms));
        if (bound > 0 && norm > 0) bound += m.type->min / 2 * std::sqrt(double(found.count)) / norm;
        return {m.name, found.relative(std::sqrt(terms)), bound, found.wrong_kind};
    }
};

/// Adds what was found of each result to a check, of which the first is the main one: judge(matrix, max) says
/// what it is, and sets the largest error.
template <class Judge>
void judge_results(const auto& buffers, check_result& out, Judge judge) {
    bool first = true;
    for (const auto& b : buffers.all()) {
        const matrix& m = b.shape();
        if (!m.written) continue;
        double max = 0;
        const side_check judged = judge(m, max);
        if (first)
            out.rel_err = judged.rel_err, out.bound = judged.bound, out.wrong_kind = judged.wrong_kind,
            out.max_abs_err = max;
        else
            out.beside.push_back(judged);
        first = false, out.outside += b.bytes_changed_outside();
    }
}

}  // namespace fade::bench

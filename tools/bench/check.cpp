#include "check.hpp"
#include <algorithm>

namespace fade::bench {

void comparison::add(double got, double want) {
    ++count;
    if (std::isfinite(got) && std::isfinite(want)) {
        error += (got - want) * (got - want), norm += want * want;
        max = std::max(max, std::abs(got - want));
    } else if (!(got == want || (std::isnan(got) && std::isnan(want)))) {
        ++wrong_kind;
    }
}

void comparison::add(const comparison& other) {
    error += other.error, norm += other.norm, max = std::max(max, other.max);
    wrong_kind += other.wrong_kind, count += other.count;
}

double comparison::relative(double min) const {
    const double against = std::max(std::sqrt(norm), min);
    return against > 0 ? std::sqrt(error) / against : std::sqrt(error);
}

double in_range(double x, const element& type) {
    return std::abs(x) > type.max * (1 + type.unit / 2) ? std::copysign(INFINITY, x) : x;
}

bool check_result::ok() const {
    return rel_err <= bound && wrong_kind == 0 && outside == 0 && faults.empty() &&
           std::ranges::all_of(beside, &side_check::ok);
}

}  // namespace fade::bench

// A real number with a bound on what a computation may be off: how the reference states what is right.
#pragma once
#include "common/numbers.hpp"
#include <cmath>

namespace fade::test {

/// First-order error analysis: every operation adds `unit` (of the accumulator) of its result to what its
/// operands bring.
struct bounded {
    double value = 0, error = 0;
    double unit = unit_roundoff<float>;
};

inline bounded rounded(double value, double error, double unit) {
    return {value, error + unit * (std::fabs(value) + error), unit};
}
inline bounded plus(bounded v, double b) { return rounded(v.value + b, v.error, v.unit); }
inline bounded times(bounded v, double b) { return rounded(v.value * b, v.error * std::fabs(b), v.unit); }

/// f(v) for a function of the given Lipschitz constant that FADE computes with a relative 1e-6 of argument
/// and result.
template <class F>
bounded through(bounded v, double lipschitz, F f) {
    const double y = f(v.value);
    return {y, v.error * lipschitz + 1e-6 * (std::fabs(v.value) + std::fabs(y)), v.unit};
}

/// The last step: one rounding to T; below the smallest normal number its unit no longer shrinks. Whole
/// numbers are the nearest, which the error may exchange for another, and end at the ends of their range.
template <class T>
bounded stored(bounded v) {
    if constexpr (std::is_integral_v<T>) {
        const double off = value_of(nearest<T>(v.value + v.error)) - value_of(nearest<T>(v.value - v.error));
        return {value_of(nearest<T>(v.value)), off, 0};
    }
    return {v.value, v.error + unit_roundoff<T> * (std::fabs(v.value) + v.error + smallest_normal<T>),
            v.unit};
}

}  // namespace fade::test

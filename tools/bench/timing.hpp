// How long something takes.
#pragma once
#include <functional>

namespace fade::bench {

/// Something to measure: `start` may only begin it, `wait` returns when all that was started is done.
struct measured {
    std::function<void()> start, wait;
};

/// Seconds that one call of `work` takes.
double seconds_of(const std::function<void()>& work);

/// Median milliseconds of one run; `first` seconds is what a run took before.
double median_ms(const measured& it, double first);

/// Median milliseconds of two, measured in turns in one run.
struct two_medians {
    double one, other;
};
two_medians interleaved_ms(const measured& one, const measured& other);

}  // namespace fade::bench

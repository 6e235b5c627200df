// How long something takes.
#pragma once
#include <functional>

namespace fade::bench {

/// What a second is: of the wall, or of the processors that this program has, whatever else they do meanwhile.
enum class clock_kind { wall, processor };

/// Something to measure: `start` may only begin it, `wait` returns when all that was started is done.
struct measured {
    std::function<void()> start, wait;
    clock_kind clock = clock_kind::wall;
};

/// Seconds that one call of `work` takes.
double seconds_of(const std::function<void()>& work, clock_kind clock = clock_kind::wall);

/// Median milliseconds of one run; `first` seconds is what a run took before.
double median_ms(const measured& it, double first);

/// Median milliseconds of two, measured in turns in one run.
struct two_medians {
    double one, other;
};
two_medians interleaved_ms(const measured& one, const measured& other);

}  // namespace fade::bench

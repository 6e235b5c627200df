// How long something takes.
#pragma once
#include <functional>
#include <optional>
#include <vector>

namespace fade::bench {

/// What a second is: of the wall, or of the processors that this program has, whatever else they do
/// meanwhile.
enum class clock_kind { wall, processor };

/// Something to measure: `start` may only begin it, `wait` returns when all that was started is done.
struct measured {
    std::function<void()> start, wait;
    clock_kind clock = clock_kind::wall;
};

/// What samples say of one run, in milliseconds.
struct timed {
    double median = 0, min = 0, max = 0;
    int samples = 0;
    double spread = 0;  ///< how far the middle half of the samples lies apart, as a share of the median

    /// So far apart that another measurement may give another figure.
    bool wide() const { return spread > 0.1; }
};
timed summary_of(std::vector<double> seconds);

/// Told how much of a measurement is done, from 0 to 1.
using on_part = std::function<void(double)>;

/// Seconds that one call of `work` takes.
double seconds_of(const std::function<void()>& work, clock_kind clock = clock_kind::wall);

/// Samples of one: as many as are asked for, else as many as some tenths of a second hold. `first` seconds is
/// what a run took before; where that is long it is the only sample, unless more are asked for.
timed time_of(const measured& it, double first, std::optional<int> samples, const on_part& done);

/// Samples of two, in turns in one run.
struct two_timed {
    timed one, other;
};
two_timed interleaved(const measured& one, const measured& other, std::optional<int> samples,
                      const on_part& done);

}  // namespace fade::bench

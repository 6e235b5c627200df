// Calls are timed within a budget.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fade/core/namespace.hpp>
#include <limits>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// Until when calls may run.
class deadline {
public:
    using clock = std::chrono::steady_clock;
    explicit deadline(std::chrono::duration<double> budget)
        : end_(clock::now() + std::chrono::duration_cast<clock::duration>(budget)) {}
    /// For those whose time nobody bounds.
    static deadline never() { return deadline(clock::time_point::max()); }

    /// Would a call of that length end in time?
    bool has_room_for(double nanoseconds) const {
        return nanoseconds < std::chrono::duration<double, std::nano>(end_ - clock::now()).count();
    }

private:
    explicit deadline(clock::time_point end) : end_(end) {}
    clock::time_point end_;
};

struct call_times {
    double median = 0, noise = 0, longest = 0;
    bool whole = false;  // did the budget last?
};

/// What bounds the calls of one policy, in nanoseconds.
struct call_bounds {
    double first = 0;                                           ///< the first call takes at most so long
    double hopeless = std::numeric_limits<double>::infinity();  ///< two calls above it, and no more are made
};

/// The middle of seven calls after one to warm up, and how far the quarters lie apart; or of the first two,
/// where both are hopeless. A call that would end too late is not begun: others than the first take as long
/// as the longest.
template <class Call>
call_times time_calls(const Call& call, const deadline& end, const call_bounds& bounds) {
    using clock = std::chrono::steady_clock;
    constexpr int warming = 1, timed = 7;
    std::vector<double> times;
    call_times out;
    for (int i = 0; i < warming + timed; ++i) {
        if (!end.has_room_for(i == 0 ? bounds.first : out.longest)) return out;
        const auto begin = clock::now();
        call();
        const double took = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
        if (i == warming) out.longest = 0;  // what warmed up was longer than others will be
        out.longest = std::max(out.longest, took);
        if (i >= warming) times.push_back(took);
        if (times.size() == 2 && std::ranges::min(times) > bounds.hopeless) break;
    }
    std::ranges::sort(times);
    const std::size_t count = times.size(), middle = count / 2, quarter = count / 4;
    out.median = times[middle], out.whole = true;
    out.noise = (times[count - 1 - quarter] - times[quarter]) / times[middle];
    return out;
}

}  // namespace FADE_NAMESPACE::detail

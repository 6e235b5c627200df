// Calls are timed within a budget.
#pragma once
#include <algorithm>
#include <chrono>
#include <fade/core/namespace.hpp>
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

/// The middle of seven calls after one to warm up, and how far the quarters lie apart. A call that would end
/// too late is not begun: the first takes at most `expected` nanoseconds, and others as long as the longest.
template <class Call>
call_times time_calls(const Call& call, const deadline& end, double expected) {
    using clock = std::chrono::steady_clock;
    constexpr int warming = 1, timed = 7;
    std::vector<double> times;
    call_times out;
    for (int i = 0; i < warming + timed; ++i) {
        if (!end.has_room_for(i == 0 ? expected : out.longest)) return out;
        const auto begin = clock::now();
        call();
        const double took = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
        if (i == warming) out.longest = 0;  // what warmed up was longer than others will be
        out.longest = std::max(out.longest, took);
        if (i >= warming) times.push_back(took);
    }
    std::ranges::sort(times);
    out.median = times[3], out.noise = (times[5] - times[1]) / times[3], out.whole = true;
    return out;
}

}  // namespace FADE_NAMESPACE::detail

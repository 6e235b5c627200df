// Calls are timed within a budget.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fade/core/namespace.hpp>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// Until when calls may run.
class deadline {
public:
    using clock = std::chrono::steady_clock;
    explicit deadline(std::chrono::duration<double> budget)
        : end_(clock::now() + std::chrono::duration_cast<clock::duration>(budget)) {}
    /// Or until `stop` is true, which must outlive this.
    deadline(std::chrono::duration<double> budget, const std::atomic<bool>& stop) : deadline(budget) {
        stop_ = &stop;
    }
    /// When a part of the time until another has passed.
    deadline(const deadline& whole, double part) : end_(clock::now()), stop_(whole.stop_) {
        end_ += std::chrono::duration_cast<clock::duration>((whole.end_ - end_) * part);
    }
    /// For those whose time nobody bounds.
    static deadline never() { return deadline(clock::time_point::max()); }

    /// Would a call of that length end in time?
    bool has_room_for(double nanoseconds) const {
        if (stop_ && *stop_) return false;
        return nanoseconds < std::chrono::duration<double, std::nano>(end_ - clock::now()).count();
    }

    clock::time_point end() const { return end_; }

private:
    explicit deadline(clock::time_point end) : end_(end) {}
    clock::time_point end_;
    const std::atomic<bool>* stop_ = nullptr;
};

inline double nanoseconds_since(deadline::clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(deadline::clock::now() - begin).count();
}

/// How long calls of one policy took, in nanoseconds, but for the first, which warms up.
class call_times {
public:
    int count() const { return int(sorted_.size()); }
    bool is_warm() const { return warm_; }
    double longest() const { return longest_; }
    /// Of an even number the one below the middle. There must be one.
    double median() const { return sorted_[(sorted_.size() - 1) / 2]; }
    /// How far the quarters lie apart, over the median.
    double noise() const {
        const std::size_t quarter = sorted_.size() / 4;
        return (sorted_[sorted_.size() - 1 - quarter] - sorted_[quarter]) / median();
    }
    /// How far the median may be off, over itself: the noise of so many calls.
    double error() const { return noise() / std::sqrt(double(count())); }

    void add(double nanoseconds) {
        if (warm_) sorted_.insert(std::ranges::upper_bound(sorted_, nanoseconds), nanoseconds);
        // What warmed up was longer than others will be.
        longest_ = count() > 1 ? std::max(longest_, nanoseconds) : nanoseconds;
        warm_ = true;
    }

private:
    std::vector<double> sorted_;
    double longest_ = 0;
    bool warm_ = false;
};

/// Times one more call. False for one that would end too late, which is not begun: the first takes `first`
/// nanoseconds at most, and others half as long again as the longest, since other programs want this CPU too.
template <class Call>
bool time_call(const Call& call, const deadline& end, double first, call_times& to) {
    constexpr double margin = 1.5;
    if (!end.has_room_for(to.is_warm() ? margin * to.longest() : first)) return false;
    const auto begin = deadline::clock::now();
    call();
    to.add(nanoseconds_since(begin));
    return true;
}

}  // namespace FADE_NAMESPACE::detail

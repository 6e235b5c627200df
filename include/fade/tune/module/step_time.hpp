// How long the next step of a kind takes, by those that were done.
#pragma once
#include <algorithm>
#include <chrono>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::tune {

/// A bound of the next step, so that a budget is left before it: one and a half times the last, and no less
/// than half of the bound before, since a machine that is busy once may be so again.
class step_time {
public:
    using duration = std::chrono::steady_clock::duration;
    /// What the first step takes at most.
    explicit step_time(duration first) : next_(first) {}

    duration next() const { return next_; }
    void took(duration last) { next_ = std::max(last + last / 2, next_ / 2); }

private:
    duration next_;
};

}  // namespace FADE_NAMESPACE::tune

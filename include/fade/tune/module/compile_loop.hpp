// Compilers that run side by side until a limit.
#pragma once
#include <cstddef>
#include <fade/tune/module/process.hpp>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// What one compiler reads and writes: files whose names begin with the same, which go with this. It goes
/// behind the compiler's process.
class temporary_files {
public:
    explicit temporary_files(std::string begin) : begin_(std::move(begin)) {
        begin_.reserve(begin_.size() + longest);
    }
    temporary_files(temporary_files&& other) noexcept : begin_(std::exchange(other.begin_, {})) {}
    temporary_files& operator=(temporary_files&& other) noexcept {
        begin_.swap(other.begin_);
        return *this;
    }
    ~temporary_files() {
        if (begin_.empty()) return;
        const std::size_t length = begin_.size();
        for (const char* const end : {".cu", ".hip", ".cpp", ".log", ".out", ".so"}) {
            begin_.resize(length);
            ::unlink((begin_ += end).c_str());
        }
    }

    /// The name of one of them.
    std::string operator+(const char* end) const { return begin_ + end; }

private:
    static constexpr std::size_t longest = 4;  // of these ends
    std::string begin_;
};

/// Until when compilers run, and how many at once.
struct compile_limits {
    time_limit end = time_limit::max();
    std::size_t jobs = 1;
    std::function<bool()> stopped = [] { return false; };  ///< ends all before that

    /// Is time up?
    bool are_over() const { return std::chrono::steady_clock::now() >= end || stopped(); }
};

/// Works on things 0 to count - 1: begin(i) gives what runs, with a `process`, or nothing where no more is to
/// be done. end(what) is called when that has ended, in the order in which they end; where time is up all are
/// killed together first. Both run on this thread.
template <class Begin, class End>
void run_concurrently(std::size_t count, const compile_limits& limits, const Begin& begin, const End& end) {
    using running = typename decltype(begin(count))::value_type;
    std::vector<running> all;
    for (std::size_t next = 0; next < count || !all.empty();) {
        for (; next < count && all.size() < limits.jobs; ++next)
            if (auto begun = begin(next)) all.push_back(std::move(*begun));
        const bool over = limits.are_over();
        for (running& one : all)
            if (!one.process.has_ended() && over) one.process.kill();
        bool waits = true;
        for (auto at = all.begin(); at != all.end();)
            if (over || at->process.has_ended())
                end(*at), at = all.erase(at), waits = false;
            else
                ++at;
        if (waits && !all.empty()) std::this_thread::sleep_for(child_process::poll);
    }
}

}  // namespace FADE_NAMESPACE::tune

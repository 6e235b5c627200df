#include "timing.hpp"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

namespace fade::bench {
namespace {

using samples = std::vector<double>;

double seconds_by(clock_kind clock) {
    if (clock == clock_kind::processor) return double(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of each of a few runs in a row, as many as fill a sample that the clock can measure.
double sample(const measured& it, int runs) {
    return seconds_of(
               [&] {
                   for (int i = 0; i < runs; ++i) it.start();
                   it.wait();
               },
               it.clock) /
           runs;
}

int runs_to_fill(double wanted, double each) {
    return int(std::clamp(wanted / std::max(each, 1e-9), 1.0, 10000.0));
}

double quantile(const samples& sorted, double part) {
    return sorted[std::size_t(part * double(sorted.size() - 1) + 0.5)];
}

/// When a turn ends: after so many samples, or after at least so many and so many seconds.
struct turn {
    double warm, measure;
    int min;
    std::optional<int> exactly;

    bool ends(int taken, double spent) const {
        return exactly ? taken >= *exactly : taken >= min && spent >= measure;
    }
    double part(int taken, double spent) const {
        return exactly ? double(taken) / *exactly : std::min(double(taken) / min, spent / measure);
    }
};

/// Warms up, then adds the samples of a turn.
void take_turn(const measured& it, const turn& t, samples& to, const on_part& done) {
    constexpr double shortest = 1e-3;  // beside which waiting for a GPU takes a hundredth
    double each = sample(it, 1);
    for (double spent = each; spent < t.warm;) spent += each = sample(it, 1);
    const int runs = runs_to_fill(shortest, each);
    double spent = 0;
    for (int taken = 0; !t.ends(taken, spent); ++taken) {
        to.push_back(sample(it, runs));
        spent += to.back() * runs;
        done(std::min(1.0, t.part(taken + 1, spent)));
    }
}

/// Threads of a library that spin after their work must not slow the next one down.
void let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

}  // namespace

timed summary_of(samples s) {
    std::ranges::sort(s);
    const double median = quantile(s, 0.5);
    return {.median = median * 1e3,
            .min = s.front() * 1e3,
            .max = s.back() * 1e3,
            .samples = int(s.size()),
            .spread = (quantile(s, 0.75) - quantile(s, 0.25)) / median};
}

double seconds_of(const std::function<void()>& work, clock_kind clock) {
    const double start = seconds_by(clock);
    work();
    return std::max(seconds_by(clock) - start, 1e-9);
}

timed time_of(const measured& it, double first, std::optional<int> wanted, const on_part& done) {
    constexpr double too_long_to_repeat = 1;
    if (first > too_long_to_repeat && !wanted) return summary_of({first});
    samples all;
    take_turn(it, {.warm = 0.02, .measure = 0.06, .min = 3, .exactly = wanted}, all, done);
    return summary_of(std::move(all));
}

two_timed interleaved(const measured& one, const measured& other, std::optional<int> wanted,
                      const on_part& done) {
    const int turns = std::min(5, wanted.value_or(5));
    samples of_one, of_other;
    for (int i = 0; i < turns; ++i) {
        turn t{.warm = 0.06, .measure = 0.06, .min = 3, .exactly = wanted};
        if (wanted) t.exactly = *wanted * (i + 1) / turns - *wanted * i / turns;
        const auto half = [&](int which) {
            return [&, which](double part) { done((2 * i + which + part) / (2 * turns)); };
        };
        let_threads_sleep();
        take_turn(one, t, of_one, half(0));
        let_threads_sleep();
        take_turn(other, t, of_other, half(1));
    }
    return {summary_of(std::move(of_one)), summary_of(std::move(of_other))};
}

}  // namespace fade::bench

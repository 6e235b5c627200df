#include "timing.hpp"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace fade::bench {
namespace {

using samples = std::vector<double>;

double seconds_by(clock_kind clock) {
    if (clock == clock_kind::processor) return double(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of each of a few runs in a row, as many as fill a sample that the clock can measure.
double sample(const measured& it, int runs) {
    return seconds_of([&] {
               for (int i = 0; i < runs; ++i) it.start();
               it.wait();
           }, it.clock) / runs;
}

int runs_to_fill(double wanted, double each) { return int(std::clamp(wanted / std::max(each, 1e-9), 1.0, 10000.0)); }

double median(samples s) {
    std::ranges::nth_element(s, s.begin() + s.size() / 2);
    return s[s.size() / 2];
}

/// Warms up for `warm` seconds, then adds samples for `measure` seconds, at least `least`.
void take_turn(const measured& it, double warm, double measure, int least, samples& to) {
    constexpr double shortest = 1e-3;   // beside which waiting for a GPU takes a hundredth
    double each = sample(it, 1);
    for (double spent = each; spent < warm;) spent += each = sample(it, 1);
    const int runs = runs_to_fill(shortest, each);
    double spent = 0;
    for (int i = 0; i < least || spent < measure; ++i) {
        to.push_back(sample(it, runs));
        spent += to.back() * runs;
    }
}

/// Threads of a library that spin after their work must not slow the next one down.
void let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

}  // namespace

double seconds_of(const std::function<void()>& work, clock_kind clock) {
    const double start = seconds_by(clock);
    work();
    return std::max(seconds_by(clock) - start, 1e-9);
}

double median_ms(const measured& it, double first) {
    constexpr double too_long_to_repeat = 1, warm = 0.02, measure = 0.06;
    if (first > too_long_to_repeat) return first * 1e3;
    samples all;
    take_turn(it, warm, measure, 3, all);
    return median(all) * 1e3;
}

two_medians interleaved_ms(const measured& one, const measured& other) {
    constexpr int turns = 5;
    constexpr double warm = 0.06, measure = 0.06;
    samples of_one, of_other;
    for (int turn = 0; turn < turns; ++turn) {
        let_threads_sleep();
        take_turn(one, warm, measure, 3, of_one);
        let_threads_sleep();
        take_turn(other, warm, measure, 3, of_other);
    }
    return {median(of_one) * 1e3, median(of_other) * 1e3};
}

}  // namespace fade::bench

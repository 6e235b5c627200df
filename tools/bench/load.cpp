#include "load.hpp"
#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace fade::bench {
namespace {

double seconds_of(const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); }

/// Of this program, all threads.
double own_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

}  // namespace

load_watch::load_watch() : start_(std::chrono::steady_clock::now()), first_(read()) {}

/// The first row of /proc/stat counts ticks of all processors: user, nice, system, idle, waiting for devices,
/// interrupts, soft interrupts, and what a hypervisor took. A row for each processor follows.
std::optional<load_watch::access> load_watch::read() {
    std::ifstream file("/proc/stat");
    std::string word;
    double ticks[8] = {};
    if (!(file >> word) || word != "cpu") return std::nullopt;
    for (double& t : ticks)
        if (!(file >> t)) return std::nullopt;
    const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    int processors = 0;
    for (std::string line; std::getline(file, line);) processors += line.starts_with("cpu");
    return access{busy / double(sysconf(_SC_CLK_TCK)), own_seconds(), std::max(1, processors)};
}

std::optional<double> load_watch::others() const {
    constexpr double min = 0.05;  // a tick is 0.01 s
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const auto now = read();
    if (!first_ || !now || passed < min) return std::nullopt;
    const double busy = (now->busy - first_->busy) - (now->own - first_->own);
    return std::clamp(busy / (passed * now->processors), 0.0, 1.0);
}

}  // namespace fade::bench

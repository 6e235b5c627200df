// A bar on a terminal's stderr while a run takes long; nothing where stderr is no terminal.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace fade::tools {

/// Drawn by a thread of its own from the first second on, and wiped before anything is printed.
class progress_bar {
public:
    explicit progress_bar(double steps) : steps_(steps) {
        if (on_terminal()) drawing_ = std::jthread([this](std::stop_token stop) { draw_until(stop); });
    }
    progress_bar(const progress_bar&) = delete;
    ~progress_bar() {
        drawing_.request_stop(), drawing_ = {};
        wipe();
    }

    /// So many steps are done, and this is what is going on.
    void at(double done, std::string what) {
        const std::lock_guard lock(changing_);
        done_ = done, what_ = std::move(what);
    }

    /// Prints with the bar out of the way.
    template <class Print>
    void aside(const Print& print) {
        const std::lock_guard lock(changing_);
        wipe();
        print();
    }

private:
    using clock = std::chrono::steady_clock;
    static constexpr int width = 24;

    static bool on_terminal() {
        const char* kind = std::getenv("TERM");
        return ::isatty(2) == 1 && (!kind || std::string_view(kind) != "dumb");
    }

    void draw_until(std::stop_token stop) {
        std::unique_lock lock(changing_);
        const auto shown = [&](auto time) {
            return !waiting_.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
        };
        if (!shown(std::chrono::seconds(1))) return;
        do draw();
        while (shown(std::chrono::milliseconds(200)));
    }

    void draw() {
        const double part = steps_ > 0 ? done_ / steps_ : 0;
        const int full = int(part * width);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(clock::now() - start_).count();
        const std::string bar =
            std::string(std::size_t(full), '#') + std::string(std::size_t(width - full), '-');
        std::fprintf(stderr, "\r[%s] %3.0f %%, %lld s: %.40s\033[K", bar.c_str(), 100 * part,
                     (long long)seconds, what_.c_str());
        drawn_ = true;
    }

    void wipe() {
        if (drawn_) std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }

    double steps_, done_ = 0;
    std::string what_;
    bool drawn_ = false;
    clock::time_point start_ = clock::now();
    std::mutex changing_;
    std::condition_variable_any waiting_;
    std::jthread drawing_;
};

}  // namespace fade::tools

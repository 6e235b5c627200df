// The kernels that ran, and how fast: on this CPU beside OpenBLAS, measured in turns.
#pragma once
#include "memory.hpp"
#include "peer.hpp"
#include "products.hpp"
#include <algorithm>
#include <chrono>
#include <fade/core/report.hpp>
#include <string>
#include <vector>

namespace demo {

class kernel_table {
public:
    /// Runs `product` (which returns its report) until its time is known.
    template <class Device, class F>
    void measure(Device& device, const std::string& what, const sizes& s, F product) {
        const fade::report report = product();
        auto once = [&] { product(); };
        auto done = [&] { finish(device); };
        done();
        row r{what, s, report, 0, 0};
        if (std::is_same_v<Device, fade::host_device> && have_peer()) {
            sgemm peer(s);
            in_turns(once, done, r.seconds, [&] { peer.run(); }, r.peer_seconds);
        } else {
            double none = 0;
            in_turns(once, done, r.seconds, [] {}, none);
        }
        rows_.push_back(r);
    }

    /// A line each: what, problem, kernel, GFLOP/s.
    void print() const;

private:
    struct row {
        std::string what;
        sizes size;
        fade::report report;
        double seconds, peer_seconds;
    };
    static constexpr int rounds = 7;

    /// Medians over rounds of about 5 ms each, first one, then the other.
    template <class F, class Done, class Peer>
    static void in_turns(F f, Done done, double& seconds, Peer peer, double& peer_seconds) {
        const double estimate = time(1, f, done);
        const int calls = int(std::clamp(0.005 / estimate, 1.0, 1000.0));
        std::vector<double> a, b;
        for (int i = 0; i < (estimate > 0.1 ? 1 : rounds); ++i)
            a.push_back(time(calls, f, done)), b.push_back(time(calls, peer, done));
        seconds = median(a), peer_seconds = median(b);
    }
    template <class F, class Done>
    static double time(int calls, F f, Done done) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) f();
        done();
        return std::max(
            1e-9, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
    }
    static double median(std::vector<double> v) {
        std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
        return v[v.size() / 2];
    }

    std::vector<row> rows_;
};

}  // namespace demo

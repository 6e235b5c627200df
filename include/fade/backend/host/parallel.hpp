// Runs independent work items on the cores of this CPU.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fade::backend::host {

inline int cores() { return std::max(1, int(std::thread::hardware_concurrency())); }

/// Calls work(worker, item) for every item in [0, count), in order of demand; the first exception is passed on.
template <class Work>
void parallel(long count, int threads, Work work) {
    std::atomic<long> next{0};
    std::exception_ptr failed;
    std::mutex guard;
    auto loop = [&](int worker) {
        try {
            for (long i; (i = next.fetch_add(1)) < count;) work(worker, i);
        } catch (...) {
            const std::lock_guard lock(guard);
            failed = std::current_exception();
            next = count;
        }
    };
    const int extra = int(std::min<long>(threads, count)) - 1;
    std::vector<std::thread> pool;
    for (int t = 0; t < extra; ++t) pool.emplace_back(loop, t + 1);
    loop(0);
    for (auto& t : pool) t.join();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace fade::backend::host

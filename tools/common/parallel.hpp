// Independent pieces of work on all cores.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fade::tools {

/// Calls work(i) for i in [0, count), several at a time. What the first failing call throws is thrown here.
template <class Work>
void parallel_for(std::int64_t count, const Work& work) {
    std::atomic<std::int64_t> next = 0;
    std::exception_ptr failure;
    std::mutex failing;
    const auto worker = [&] {
        try {
            for (std::int64_t i; (i = next++) < count;) work(i);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::int64_t i = 1; i < std::min(cores, count); ++i) helpers.emplace_back(worker);
    worker();
    helpers.clear();
    if (failure) std::rethrow_exception(failure);
}

/// work(first, last) over [0, count) in ranges of at most `grain`.
template <class Work>
void parallel_ranges(std::int64_t count, std::int64_t grain, const Work& work) {
    parallel_for((count + grain - 1) / grain,
                 [&](std::int64_t i) { work(i * grain, std::min(count, (i + 1) * grain)); });
}

}  // namespace fade::tools

// Runs independent work items on the cores of this CPU.
#pragma once
#include <fade/backend/host/thread_team.hpp>

namespace FADE_NAMESPACE::backend::host {

namespace detail {

/// Items that workers take in order of demand. Of what is done with one only the address is known: a program
/// has many kernels, and this text once.
struct shared_items {
    void (*do_one)(void* work, int worker, long item);
    void* work;
    long count, next = 0;
    std::exception_ptr failed{};
    int failures = 0;
};

inline void take_items(void* items, int worker) {
    auto& s = *static_cast<shared_items*>(items);
    try {
        for (long i; (i = __atomic_fetch_add(&s.next, 1, __ATOMIC_RELAXED)) < s.count;)
            s.do_one(s.work, worker, i);
    } catch (...) {
        if (__atomic_fetch_add(&s.failures, 1, __ATOMIC_RELAXED) == 0) s.failed = std::current_exception();
        __atomic_store_n(&s.next, s.count, __ATOMIC_RELAXED);
    }
}

inline void run_items(thread_team& team, shared_items& items, int threads) {
    // The caller may have written these numbers as another type for them: the compiler moves nothing past
    // here.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    team.run(int(items.count < threads ? items.count : threads), take_items, &items);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (items.failed) std::rethrow_exception(items.failed);
}

}  // namespace detail

/// Calls work(worker, item) for every item in [0, count), in order of demand, on up to `threads` threads of
/// the team; the first exception is passed on.
template <class Work>
void parallel(thread_team& team, long count, int threads, Work work) {
    const auto do_one = [](void* p, int worker, long item) { (*static_cast<Work*>(p))(worker, item); };
    detail::shared_items items{do_one, &work, count};
    detail::run_items(team, items, threads);
}

}  // namespace FADE_NAMESPACE::backend::host

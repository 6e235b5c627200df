// Runs independent work items on the cores of this CPU.
#pragma once
#include <fade/backend/host/thread_team.hpp>

namespace FADE_NAMESPACE::backend::host {

/// Calls work(worker, item) for every item in [0, count), in order of demand, on up to `threads` threads of
/// the team; the first exception is passed on.
template <class Work>
void parallel(thread_team& team, long count, int threads, Work work) {
    struct shared_state {
        Work& work;
        long count, next = 0;
        std::exception_ptr failed{};
        int failures = 0;
    } state{work, count};
    const auto loop = [](void* p, int worker) {
        auto& s = *static_cast<shared_state*>(p);
        try {
            for (long i; (i = __atomic_fetch_add(&s.next, 1, __ATOMIC_RELAXED)) < s.count;) s.work(worker, i);
        } catch (...) {
            if (__atomic_fetch_add(&s.failures, 1, __ATOMIC_RELAXED) == 0)
                s.failed = std::current_exception();
            __atomic_store_n(&s.next, s.count, __ATOMIC_RELAXED);
        }
    };
    // The caller may have written these numbers as another type for them: the compiler moves nothing past
    // here.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    team.run(int(count < threads ? count : threads), loop, &state);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (state.failed) std::rethrow_exception(state.failed);
}

}  // namespace FADE_NAMESPACE::backend::host

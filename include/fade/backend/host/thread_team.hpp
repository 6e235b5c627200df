// Threads that outlive a call: starting one costs more than a small product.
#pragma once
#include <cstddef>
#include <exception>
#include <fade/core/call/list.hpp>
#include <fade/core/error.hpp>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace FADE_NAMESPACE::backend::host {

/// Those that this process may use.
inline int cores() {
#if defined(__linux__)
    if (cpu_set_t used; sched_getaffinity(0, sizeof used, &used) == 0) return CPU_COUNT(&used);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : int(n);
}

/// How often a thread looks for work, or for its end, before it sleeps: tens of microseconds, about what
/// waking it would cost.
inline constexpr int spins = 2000;

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// How many forks lie between this process and the one that started its first worker. A child process has
/// none of its parent's threads.
inline int forks = 0;
inline void notice_forks() {
    static const int refused = pthread_atfork(nullptr, nullptr, [] { ++forks; });
    static_cast<void>(refused);  // for want of memory only, which the worker needs too
}

/// A thread that waits for work. What lies between it and its employer is one word of state.
class alignas(64) worker {
public:
    using job = void (*)(void* argument, int worker);

    /// `stack_bytes` 0: as this system gives.
    worker(int number, std::size_t stack_bytes) : number_(number) {
        notice_forks();
        if (const int code = start(stack_bytes))
            throw error("threads", "more than " + std::to_string(number),
                        "this system refuses to start another one (error " + std::to_string(code) + ")");
    }
    worker(const worker&) = delete;
    ~worker() {
        if (!exists()) return;
        become(dismissed);
        pthread_join(thread_, nullptr);
    }

    /// Has this process the thread, or has its parent?
    bool exists() const { return forks_ == forks; }

    /// Offers work; whether the worker takes it depends on how soon it wakes.
    void offer(job f, void* argument) {
        job_ = f, argument_ = argument;
        become(offered);
    }
    /// Returns when the worker is done, or at once if it has not begun: then nothing is left for it to do.
    void settle() {
        if (!swap(offered, idle)) wait_while(busy);
    }
    /// Returns when the worker has begun and is done.
    void finish() { wait_while(offered), wait_while(busy); }

private:
    enum state : int { idle, offered, busy, dismissed };

    int start(std::size_t stack_bytes) {
        pthread_attr_t how;
        pthread_attr_init(&how);
        int code = stack_bytes > 0 ? pthread_attr_setstacksize(&how, stack_bytes) : 0;
        if (code == 0) code = pthread_create(&thread_, &how, live, this);
        pthread_attr_destroy(&how);
        return code;
    }

    static void* live(void* p) {
        auto& self = *static_cast<worker*>(p);
        for (;;) {
            self.wait_while(idle);
            if (self.now() == dismissed) return nullptr;
            if (!self.swap(offered, busy)) continue;  // taken back meanwhile
            self.job_(self.argument_, self.number_);
            self.become(idle);
        }
    }

    int now() const { return __atomic_load_n(&state_, __ATOMIC_ACQUIRE); }
    bool swap(int from, state to) {
        return __atomic_compare_exchange_n(&state_, &from, int(to), false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE);
    }
    void become(state s) {
        pthread_mutex_lock(&mutex_);
        __atomic_store_n(&state_, int(s), __ATOMIC_RELEASE);
        pthread_cond_signal(&changed_);
        pthread_mutex_unlock(&mutex_);
    }
    void wait_while(state s) {
        for (int i = 0; i < spins; ++i, relax())
            if (now() != s) return;
        pthread_mutex_lock(&mutex_);
        while (now() == s) pthread_cond_wait(&changed_, &mutex_);
        pthread_mutex_unlock(&mutex_);
    }

    int state_ = idle;
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
    job job_ = nullptr;
    void* argument_ = nullptr;
    int number_, forks_ = forks;
    pthread_t thread_;
};

/// Workers start when they are first needed, again in a child process, and end with the team. One thread may
/// use a team at a time.
class thread_team {
public:
    /// With `stack_bytes` all work is done by workers that have such stacks: the caller's may be small.
    explicit thread_team(std::size_t stack_bytes = 0) : stack_bytes_(stack_bytes) {}
    thread_team(const thread_team&) = delete;
    ~thread_team() { dismiss(); }

    /// Calls f(argument, 0 .. threads - 1), one of them here unless workers do all, the others on those
    /// workers that come before the first has returned; returns when all have.
    void run(int threads, worker::job f, void* argument) {
        if (threads < 1) return;
        const int first = stack_bytes_ > 0 ? 0 : 1, workers = threads - first;
        start(workers, first);
        for (int i = 0; i < workers; ++i) workers_[std::size_t(i)]->offer(f, argument);
        if (first == 1)
            f(argument, 0);
        else
            workers_[0]->finish();
        for (int i = 0; i < workers; ++i) workers_[std::size_t(i)]->settle();
    }

private:
    void dismiss() {
        for (auto* w : workers_) delete w;
        workers_.clear();
    }
    void start(int workers, int first) {
        if (workers_.size() > 0 && !workers_[0]->exists()) dismiss();
        while (int(workers_.size()) < workers) {
            workers_.make_room();
            workers_.push_back(new worker(int(workers_.size()) + first, stack_bytes_));
        }
    }

    std::size_t stack_bytes_;
    list<worker*> workers_;
};

}  // namespace FADE_NAMESPACE::backend::host

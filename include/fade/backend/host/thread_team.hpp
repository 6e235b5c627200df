// Threads that outlive a call: starting one costs more than a small product.
#pragma once
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <fade/core/error.hpp>
#include <fade/core/list.hpp>

namespace fade::backend::host {

/// Those that this process may use.
inline int cores() {
#if defined(__linux__)
    if (cpu_set_t used; sched_getaffinity(0, sizeof used, &used) == 0) return CPU_COUNT(&used);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : int(n);
}

/// How often a thread looks for work, or for its end, before it sleeps: tens of microseconds, about what waking it would cost.
inline constexpr int spins = 2000;

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// A thread that waits for work. What lies between it and its employer is one word of state.
class alignas(64) worker {
public:
    using job = void (*)(void* argument, int worker);

    explicit worker(int number) : number_(number) {
        if (const int code = pthread_create(&thread_, nullptr, live, this))
            throw error("threads", "more than " + std::to_string(number), "this system refuses to start another one (error " + std::to_string(code) + ")");
    }
    worker(const worker&) = delete;
    ~worker() {
        become(dismissed);
        pthread_join(thread_, nullptr);
    }

    /// Offers work; whether the worker takes it depends on how soon it wakes.
    void offer(job f, void* argument) {
        job_ = f, argument_ = argument;
        become(offered);
    }
    /// Returns when the worker is done, or at once if it has not begun: then nothing is left for it to do.
    void settle() {
        if (!swap(offered, idle)) wait_while(busy);
    }

private:
    enum state : int { idle, offered, busy, dismissed };

    static void* live(void* p) {
        auto& self = *static_cast<worker*>(p);
        for (;;) {
            self.wait_while(idle);
            if (self.now() == dismissed) return nullptr;
            if (!self.swap(offered, busy)) continue;   // taken back meanwhile
            self.job_(self.argument_, self.number_);
            self.become(idle);
        }
    }

    int now() const { return __atomic_load_n(&state_, __ATOMIC_ACQUIRE); }
    bool swap(int from, state to) { return __atomic_compare_exchange_n(&state_, &from, int(to), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); }
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
    int number_;
    pthread_t thread_;
};

/// Workers start when they are first needed and end with the team. One thread may use a team at a time.
class thread_team {
public:
    thread_team() = default;
    thread_team(const thread_team&) = delete;
    ~thread_team() {
        for (auto* w : workers_) delete w;
    }

    /// Calls f(argument, 0) here and f(argument, 1 .. threads - 1) on those workers that come before it has returned; returns when all have.
    void run(int threads, worker::job f, void* argument) {
        while (int(workers_.size()) < threads - 1) {
            workers_.make_room();
            workers_.push_back(new worker(int(workers_.size()) + 1));
        }
        for (int i = 0; i < threads - 1; ++i) workers_[std::size_t(i)]->offer(f, argument);
        f(argument, 0);
        for (int i = 0; i < threads - 1; ++i) workers_[std::size_t(i)]->settle();
    }

private:
    list<worker*> workers_;
};

}  // namespace fade::backend::host

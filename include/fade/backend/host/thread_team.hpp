// Threads that outlive a call: starting one costs more than a small product.
#pragma once
#include <exception>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <fade/core/error.hpp>

namespace fade::backend::host {

inline int cores() {
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

/// An event that one thread waits for and another one announces: a counter, and a place to sleep.
class signal {
public:
    void announce() {
        pthread_mutex_lock(&mutex_);
        __atomic_fetch_add(&count_, 1, __ATOMIC_RELEASE);
        if (asleep_) pthread_cond_signal(&changed_);
        pthread_mutex_unlock(&mutex_);
    }
    /// Returns once at least `count` announcements were made.
    void wait(unsigned count) {
        for (int i = 0; i < spins; ++i, relax())
            if (reached(count)) return;
        pthread_mutex_lock(&mutex_);
        asleep_ = true;
        while (!reached(count)) pthread_cond_wait(&changed_, &mutex_);
        asleep_ = false;
        pthread_mutex_unlock(&mutex_);
    }
    signal() = default;
    signal(const signal&) = delete;

private:
    bool reached(unsigned count) const { return int(__atomic_load_n(&count_, __ATOMIC_ACQUIRE) - count) >= 0; }

    unsigned count_ = 0;
    bool asleep_ = false;
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

/// Workers start when they are first needed and end with the team. One thread may use a team at a time.
class thread_team {
public:
    using job = void (*)(void* argument, int worker);

    thread_team() = default;
    thread_team(const thread_team&) = delete;
    ~thread_team() {
        for (auto* w : workers_) w->task = nullptr, w->start.announce();
        for (auto* w : workers_) pthread_join(w->thread, nullptr), delete w;
    }

    /// Calls f(argument, 0) here and f(argument, 1 .. threads - 1) on workers; returns when all have.
    void run(int threads, job f, void* argument) {
        while (int(workers_.size()) < threads - 1) add();
        for (int i = 0; i < threads - 1; ++i) workers_[std::size_t(i)]->task = f, workers_[std::size_t(i)]->argument = argument, workers_[std::size_t(i)]->start.announce();
        f(argument, 0);
        for (int i = 0; i < threads - 1; ++i) workers_[std::size_t(i)]->done.wait(++workers_[std::size_t(i)]->turns);
    }

private:
    struct alignas(64) worker {
        signal start, done;
        job task = nullptr;
        void* argument = nullptr;
        unsigned turns = 0;
        int number;
        pthread_t thread;
        explicit worker(int n) : number(n) {}
    };
    void add() {
        workers_.reserve(workers_.size() + 1);
        auto* w = new worker(int(workers_.size()) + 1);
        if (const int code = pthread_create(&w->thread, nullptr, live, w)) {
            delete w;
            throw error("threads", "more than " + std::to_string(workers_.size() + 1), "this system refuses to start another one (error " + std::to_string(code) + ")");
        }
        workers_.push_back(w);
    }
    static void* live(void* p) {
        auto& self = *static_cast<worker*>(p);
        for (unsigned turn = 1;; ++turn) {
            self.start.wait(turn);
            if (!self.task) return nullptr;
            self.task(self.argument, self.number);
            self.done.announce();
        }
    }

    std::vector<worker*> workers_;
};

}  // namespace fade::backend::host

// A mutex and who holds it. <mutex> would bring clocks and error categories with it, a tenth of the cost of
// all headers.
#pragma once
#include <fade/core/namespace.hpp>
#include <pthread.h>

namespace FADE_NAMESPACE::backend::host {

class mutex {
public:
    mutex() = default;
    mutex(const mutex&) = delete;
    ~mutex() { pthread_mutex_destroy(&handle_); }
    pthread_mutex_t* handle() { return &handle_; }

private:
    pthread_mutex_t handle_ = PTHREAD_MUTEX_INITIALIZER;
};

class lock_guard {
public:
    explicit lock_guard(mutex& m) : held_(m.handle()) { pthread_mutex_lock(held_); }
    lock_guard(const lock_guard&) = delete;
    ~lock_guard() { pthread_mutex_unlock(held_); }

private:
    pthread_mutex_t* held_;
};

}  // namespace FADE_NAMESPACE::backend::host

// Who uses an object that serves one thread at a time.
#pragma once
#include <fade/core/error.hpp>
#include <pthread.h>

namespace FADE_NAMESPACE::backend::host {

/// One thread at a time, which may enter again.
class user {
public:
    /// False where another thread is inside.
    bool enter() {
        const pthread_t self = pthread_self();
        pthread_t nobody{};
        if (__atomic_load_n(&thread_, __ATOMIC_RELAXED) != self &&
            !__atomic_compare_exchange_n(&thread_, &nobody, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return false;
        ++depth_;
        return true;
    }
    void leave() {
        if (--depth_ == 0) __atomic_store_n(&thread_, pthread_t{}, __ATOMIC_RELEASE);
    }

private:
    pthread_t thread_{};
    int depth_ = 0;  // of the thread that is inside
};

/// A device while a call uses it: its workspace and its threads serve one call.
class [[nodiscard]] in_use {
public:
    template <class Device>
    in_use(user& who, const Device& device) : who_(who) {
        if (!who.enter())
            throw error("device", device.name(),
                        "another thread is using it: give each thread a device of its own");
    }
    in_use(const in_use&) = delete;
    ~in_use() { who_.leave(); }

private:
    user& who_;
};

}  // namespace FADE_NAMESPACE::backend::host

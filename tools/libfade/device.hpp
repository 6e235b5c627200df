// A device as C has it: FADE's own device for each stream on which it was called.
#pragma once
#include "backend.hpp"
#include <atomic>

struct fade_device {
    fade::c::backend* kind;
    int ordinal = 0;
    std::string name;
    fade::c::device_config config;
    std::atomic_flag busy = ATOMIC_FLAG_INIT;

    /// FADE's device for a stream, made where it is the first call there.
    void* on(void* stream);

private:
    /// Streams of which a device keeps memory at once; the one that was used least lately is given up for
    /// another.
    static constexpr std::size_t max_streams = 64;
    struct on_stream {
        void* stream;
        std::shared_ptr<void> device;
    };
    std::vector<on_stream> streams_;  // that of the last call first
};

namespace fade::c {

/// Opens a device by its name.
std::unique_ptr<fade_device> open_device(const std::string& name, const device_config& config);

/// The use of a device by one thread.
class [[nodiscard]] only_user {
public:
    explicit only_user(fade_device& d);
    only_user(const only_user&) = delete;
    ~only_user() { device_.busy.clear(std::memory_order_release); }

private:
    fade_device& device_;
};

}  // namespace fade::c

// Arrays where a device can read them: its own memory, or the program's where they are the same.
#pragma once
#include <cstddef>
#include <cstring>
#include <fade/core/dtype.hpp>
#include <vector>

namespace demo {

/// GPUs allocate and copy; the host and its emulated devices share the program's memory.
template <class Device>
concept has_own_memory = requires(Device& d, void* p) { d.release(p); };

template <class Device>
void finish(Device& device) {
    if constexpr (has_own_memory<Device>) device.synchronize();
}

template <class Device, class T>
class array {
public:
    array(Device& device, std::size_t size) : device_(device), size_(size), here_(size) {
        data_ = here_.data();
        if constexpr (has_own_memory<Device>) data_ = static_cast<T*>(device.allocate(size * sizeof(T)));
    }
    array(Device& device, const std::vector<float>& values) : array(device, values.size()) { put(values); }
    array(const array&) = delete;
    array& operator=(const array&) = delete;
    ~array() {
        if constexpr (has_own_memory<Device>) device_.release(data_);
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

    /// Converts and copies; the array begins with these values.
    void put(const std::vector<float>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) here_[i] = fade::convert<T>(values[i]);
        if constexpr (has_own_memory<Device>)
            device_.copy_to_device(data_, here_.data(), values.size() * sizeof(T));
        finish(device_);  // the next values go to the same place
    }

    /// All values, once everything that was queued is done.
    std::vector<float> get() {
        if constexpr (has_own_memory<Device>) device_.copy_to_host(here_.data(), data_, size_ * sizeof(T));
        finish(device_);
        std::vector<float> out(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = fade::convert<float>(here_[i]);
        return out;
    }

private:
    Device& device_;
    std::size_t size_;
    std::vector<T> here_;
    T* data_;
};

}  // namespace demo

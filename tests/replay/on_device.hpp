// Memory of the tests on a device: what a launch may touch, and nothing around it.
#pragma once
#include "common/matrix.hpp"
#include <fade/device/devices.hpp>
#include <vector>

namespace fade::replay {

template <class T>
class on_device {
public:
    on_device(hip_device& device, const T* from, std::size_t count)
        : device_(device), bytes_(count * sizeof(T)) {
        if (!bytes_) return;
        at_ = static_cast<T*>(device.allocate(bytes_));
        device.copy_to_device(at_, from, bytes_);
    }
    on_device(hip_device& device, const test::matrix<T>& from)
        : on_device(device, from.data(), std::size_t(from.place().span())) {}
    on_device(hip_device& device, const std::vector<T>& from) : on_device(device, from.data(), from.size()) {}
    ~on_device() {
        if (at_) device_.release(at_);
    }
    on_device(const on_device&) = delete;
    /// Null where there is nothing.
    T* data() const { return at_; }
    void read(auto& to) const { device_.copy_to_host(to.data(), at_, bytes_); }

private:
    hip_device& device_;
    std::size_t bytes_;
    T* at_ = nullptr;
};

}  // namespace fade::replay

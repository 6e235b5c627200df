// The device of a library that another program calls with a stream of its own.
#pragma once
#include <fade/device/devices.hpp>
#include <memory>

/// The same one until the stream is another.
inline fade::cuda_device& device_of(cudaStream_t stream) {
    static std::unique_ptr<fade::cuda_device> held;
    if (!held || held->stream() != stream) held = std::make_unique<fade::cuda_device>(0, stream);
    return *held;
}

// The devices that an example's kernel runs on: GPU 0 where it is compiled for GPUs, else this CPU, natively
// and emulating some architectures.
#pragma once
#include <fade/device/devices.hpp>

namespace demo {

/// The sum of what f(device) returns; one that an example fails on makes it exit with more than 0.
template <class F>
int on_each_device(F f) {
    const auto on = [&](auto&& device) { return f(device); };
#if defined(__HIP__)
    return on(fade::hip_device());
#elif defined(__CUDACC__)
    return on(fade::cuda_device());
#else
    return on(fade::host_device()) + on(fade::emulated_device<fade::arch::gfx942>()) +
           on(fade::emulated_device<fade::arch::gfx1030>()) +
           on(fade::emulated_device<fade::arch::gfx1201>());
#endif
}

}  // namespace demo

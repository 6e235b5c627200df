// Included before a unit test: its emulated device of the architecture FADE_TEST_GPU is GPU 0 of this
// machine.
#pragma once
#include <fade/device/emulated_device.hpp>
#if defined(__CUDACC__)
#include <fade/backend/cuda/device.hpp>
namespace fade::test {
using runtime_device = cuda_device;
}
#else
#include <fade/backend/hip/device.hpp>
namespace fade::test {
using runtime_device = hip_device;
}
#endif

namespace fade {

/// The selector counts on the compute units of the options, so every choice is reached. A launch has ended
/// when it returns, as an emulated one has, and what tests allocate is memory of both processors
/// (memory.cpp). The monitor sees nothing.
template <>
class emulated_device<arch::FADE_TEST_GPU> : public test::runtime_device {
public:
    using arch = fade::arch::FADE_TEST_GPU;

    explicit emulated_device(emulation_options options = {}) : compute_units_(options.compute_units) {}

    int compute_units() const { return compute_units_; }

    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        test::runtime_device::launch<Entry>(grid, args);
        synchronize();
    }
    backend::emulated::monitor& monitor() { return monitor_; }

private:
    int compute_units_;
    backend::emulated::monitor monitor_;
};

}  // namespace fade

// Operands of calls that are only timed: memory that costs nothing until it is filled.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <memory>
#include <random>

namespace fade::tools {

/// Numbers in f32, not set.
class tensor {
public:
    explicit tensor(fade::index count)
        : count_(static_cast<std::size_t>(count)), data_(new float[static_cast<std::size_t>(count)]) {}
    template <class Device>
    tensor(Device&, fade::index count) : tensor(count) {}

    float* data() const { return data_.get(); }
    /// With fresh random numbers of -1 to 1.
    void fill() {
        std::uint64_t state = std::random_device{}() | std::uint64_t(std::random_device{}()) << 32;
        for (std::size_t i = 0; i < count_; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            data_[i] = float(std::int32_t(state >> 32)) * 0x1p-31f;
        }
    }

private:
    std::size_t count_;
    std::unique_ptr<float[]> data_;
};

}  // namespace fade::tools

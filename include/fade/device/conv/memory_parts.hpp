// Parts of one workspace, one behind the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE {

/// What a plan has in the place of a workspace that nobody gave: addresses that mean nothing but alignment,
/// beyond any machine's memory, so that kernels are chosen as they would be.
inline void* memory_or_stand_in(void* memory) {
    return memory ? memory : reinterpret_cast<void*>(std::uintptr_t(1) << 57);
}

/// Hands out parts that begin at multiples of 256 bytes.
class memory_parts {
public:
    explicit memory_parts(void* memory)
        : first_(ceil_div<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(memory), alignment) * alignment),
          next_(first_) {}

    template <class T>
    T* take(std::size_t elements) {
        auto* out = reinterpret_cast<T*>(next_);
        next_ += ceil_div<std::uintptr_t>(elements * sizeof(T), alignment) * alignment;
        return out;
    }
    /// That memory must have for the parts so far, wherever it begins; 0 for none.
    std::size_t bytes() const { return next_ == first_ ? 0 : std::size_t(next_ - first_) + alignment; }

private:
    static constexpr std::uintptr_t alignment = 256;
    std::uintptr_t first_, next_;
};

}  // namespace FADE_NAMESPACE

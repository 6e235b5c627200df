// Memory of this machine that a device lends to its calls, and that the workgroups of the host have for
// shared memory.
#pragma once
#include <cstddef>
#include <fade/core/error.hpp>
#include <new>
#include <string>

namespace FADE_NAMESPACE::backend::host {

/// Grows to the largest request and is kept until it ends, since fresh pages cost more than small products.
class kept_memory {
public:
    std::byte* at_least(std::size_t bytes) {
        if (bytes <= size_) return at_;
        release();
        at_ = static_cast<std::byte*>(::operator new(bytes, page, std::nothrow));
        if (!at_)
            throw error("workspace", std::to_string(bytes) + " bytes",
                        "this machine has no such piece of memory");
        size_ = bytes;
        return at_;
    }
    kept_memory() = default;
    kept_memory(kept_memory&& other) noexcept : at_(other.at_), size_(other.size_) {
        other.at_ = nullptr, other.size_ = 0;
    }
    ~kept_memory() { release(); }

private:
    static constexpr std::align_val_t page{4096};
    void release() {
        if (at_) ::operator delete(at_, page);
        at_ = nullptr, size_ = 0;
    }

    std::byte* at_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace FADE_NAMESPACE::backend::host

// Memory of this machine that a device lends to its calls.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <fade/core/error.hpp>

namespace fade {

/// Grows to the largest request and is kept until the device ends.
class host_workspace {
public:
    void* take(std::size_t bytes) {
        if (bytes > size_) {
            auto grown = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
            if (!grown) throw error("workspace", std::to_string(bytes) + " bytes", "this machine has no such piece of memory");
            memory_ = std::move(grown), size_ = bytes;
        }
        return memory_.get();
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_ = 0;
};

}  // namespace fade

// Memory with an end, for blocks that a CPU runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/backend/buffer.hpp>

namespace FADE_NAMESPACE::backend {

/// Memory that ends at `end`: beyond it loads give zero, as the hardware's range check does.
struct bounded_memory {
    const std::byte *base, *end;

    template <class V>
    V load(std::uint32_t offset, std::uint32_t further = 0) const {
        V v{};
        if (offset < outside && std::ptrdiff_t(offset + further + sizeof v) <= end - base)
            std::memcpy(&v, base + offset + further, sizeof v);
        return v;
    }
};

}  // namespace FADE_NAMESPACE::backend

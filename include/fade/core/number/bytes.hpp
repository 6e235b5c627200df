// The memory that a tensor touches.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Bytes [begin, end).
struct byte_range {
    const char *begin, *end;
    constexpr bool overlaps(const byte_range& o) const { return begin < o.end && o.begin < end; }
};

/// That many bytes from an address on, at most to the last one there is; none from null.
inline byte_range bytes_from(const void* at, wide_index bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    const wide_index room = UINTPTR_MAX - begin;
    const auto count = std::uintptr_t(at == nullptr || bytes < 0 ? 0 : bytes < room ? bytes : room);
    return {reinterpret_cast<const char*>(begin), reinterpret_cast<const char*>(begin + count)};
}

}  // namespace FADE_NAMESPACE

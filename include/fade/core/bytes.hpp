// The memory that a tensor touches.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Bytes [begin, end).
struct byte_range {
    const char *begin, *end;
    constexpr bool overlaps(const byte_range& o) const { return begin < o.end && o.begin < end; }
};

}  // namespace FADE_NAMESPACE

// How kernels address global memory: a uniform base and a 32-bit byte offset a lane.
#pragma once
#include <cstdint>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::backend {

/// An offset that no access touches: loads give zero, stores are dropped.
/// Bit 31 lies beyond every buffer resource (2 GiB), so the hardware's own range check does the work.
inline constexpr std::uint32_t outside = 0x80000000u;

}  // namespace FADE_NAMESPACE::backend

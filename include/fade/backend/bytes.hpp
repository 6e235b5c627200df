// Bytes picked out of two registers, for machines that a compiler for CPUs makes code for.
#pragma once
#include <cstdint>

namespace fade::backend {

/// The bytes that the four hexadecimal digits of Which name, the last digit the lowest byte: 0 to 3 are those of a, 4 to 7 those of b.
template <std::uint32_t Which>
constexpr std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t both = a | std::uint64_t(b) << 32;
    std::uint32_t out = 0;
    for (int i = 0; i < 4; ++i) out |= std::uint32_t(both >> (Which >> 4 * i & 7u) * 8 & 0xffu) << 8 * i;
    return out;
}

}  // namespace fade::backend

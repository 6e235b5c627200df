// Quotients that are rounded twice, and magnitudes that count.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// |x|; 0 of a NaN and of infinity, which do not count.
FADE_FN float finite_magnitude(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
    return std::bit_cast<float>(bits < 0x7f800000u ? bits : 0u);
}

/// Bits of a quotient that are all 0 where it may be a tie between two 8-bit floats: those have at most 5
/// significant bits.
inline constexpr std::uint32_t below_ties = 0x7ffffu;

/// x / factor, to be rounded once more: a quotient that became a tie between two 8-bit floats steps back to
/// its true side.
FADE_FN float quotient(float x, float factor) {
    const float q = x / factor;
    const auto bits = std::bit_cast<std::uint32_t>(q);
    if (bits & below_ties) return q;
    const double left = double(x) - double(q) * double(factor);  // the product is exact
    if (!(left < 0 || left > 0)) return q;
    return std::bit_cast<float>((left > 0) == (x > 0) ? bits + 1 : bits - 1);
}

}  // namespace FADE_NAMESPACE

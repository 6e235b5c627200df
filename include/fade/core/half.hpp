// The 16-bit floating-point types, as storage: arithmetic happens in f32.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>
#include <fade/core/config.hpp>

namespace fade {

/// IEEE 754 binary16.
struct f16 {
    std::uint16_t bits;
};

/// bfloat16: the upper half of a binary32.
struct bf16 {
    std::uint16_t bits;
};

/// Exact. The magic product re-biases the exponent and normalises subnormals in one step; infinity and NaN keep their class.
FADE_FN constexpr float to_f32(f16 x) {
#ifdef FADE_NATIVE_F16
    if (!std::is_constant_evaluated()) return static_cast<float>(std::bit_cast<_Float16>(x));
#endif
    const std::uint32_t sign = std::uint32_t(x.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = std::uint32_t(x.bits & 0x7fffu) << 13;
    const float scaled = std::bit_cast<float>(magnitude) * std::bit_cast<float>(0x77800000u);
    const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign | special);
}

FADE_FN constexpr float to_f32(bf16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }

/// Nearest, ties to even; overflow becomes infinity, NaN stays a quiet NaN.
FADE_FN constexpr f16 to_f16(float value) {
#ifdef FADE_NATIVE_F16
    if (!std::is_constant_evaluated()) return std::bit_cast<f16>(static_cast<_Float16>(value));
#endif
    const std::uint32_t all = std::bit_cast<std::uint32_t>(value), x = all & 0x7fffffffu;
    const std::uint32_t sign = (all >> 16) & 0x8000u;
    // Adding 0.5 shifts a subnormal result to where the f32 addition rounds it.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + 0.5f) - 0x3f000000u;
    const std::uint32_t normal = (x + 0xc8000fffu + ((x >> 13) & 1u)) >> 13;
    const std::uint32_t special = x > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return {std::uint16_t(sign | (x >= 0x47800000u ? special : x < 0x38800000u ? small : normal))};
}

/// Nearest, ties to even; NaN stays a quiet NaN.
FADE_FN constexpr bf16 to_bf16(float value) {
    const std::uint32_t x = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (x + 0x7fffu + ((x >> 16) & 1u)) >> 16;
    return {std::uint16_t((x & 0x7fffffffu) > 0x7f800000u ? (x >> 16) | 0x40u : rounded)};
}

}  // namespace fade

// What the bits of a weight, of its scale and of its zero point are worth.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/weights/format.hpp>

namespace FADE_NAMESPACE {

/// A power of two: 2^(bits - 127); 255 is NaN. Source: OCP Microscaling Formats 1.0.
struct e8m0 {
    std::uint8_t bits;  ///< as in memory
};

FADE_FN constexpr float to_f32(e8m0 x) {
    const std::uint32_t power = x.bits == 0 ? 0x00400000u : std::uint32_t(x.bits) << 23;
    return std::bit_cast<float>(x.bits == 255 ? 0x7fc00000u : power);
}

namespace detail {

template <weight_scale Scale>
struct scale_number;
template <>
struct scale_number<weight_scale::binary16> {
    using type = f16;
};
template <>
struct scale_number<weight_scale::bfloat16> {
    using type = bf16;
};
template <>
struct scale_number<weight_scale::binary32> {
    using type = float;
};
template <>
struct scale_number<weight_scale::e8m0> {
    using type = e8m0;
};
template <>
struct scale_number<weight_scale::e4m3> {
    using type = f8e4m3;
};

/// Twice the magnitude of an e2m1: 0 1 2 3 4 6 8 12.
FADE_FN constexpr int doubled_e2m1(std::uint32_t magnitude) {
    const int fraction = int(magnitude & 1u), exponent = int(magnitude >> 1);
    return exponent == 0 ? fraction : (2 + fraction) << (exponent - 1);
}

}  // namespace detail

/// The type of a format's scales.
template <weight_format Format>
using weight_scale_t = typename detail::scale_number<Format.scale>::type;

/// Of the low bits of a word; exact. The others are zero.
template <weight_element Element>
FADE_FN constexpr float weight_value(std::uint32_t bits) {
    using enum weight_element;
    if constexpr (Element == unsigned4 || Element == unsigned8)
        return float(int(bits));
    else if constexpr (Element == signed4)
        return float(int(bits ^ 8u) - 8);
    else if constexpr (Element == signed8)
        return float(int(bits ^ 128u) - 128);
    else if constexpr (Element == e4m3)
        return to_f32(f8e4m3{std::uint8_t(bits)});
    else if constexpr (Element == e5m2)
        return to_f32(f8e5m2{std::uint8_t(bits)});
    else {
        const int twice = detail::doubled_e2m1(bits & 7u);
        return (bits & 8u ? -0.5f : 0.5f) * float(twice);
    }
}

/// A scale, or a zero of its type, in the low bits of a word.
template <weight_scale Scale>
FADE_FN constexpr float scale_value(std::uint32_t bits) {
    using T = typename detail::scale_number<Scale>::type;
    if constexpr (sizeof(T) == 4)
        return std::bit_cast<float>(bits);
    else if constexpr (sizeof(T) == 2)
        return to_f32(T{std::uint16_t(bits)});
    else
        return to_f32(T{std::uint8_t(bits)});
}

/// Where in a word the element of one of its consecutive k or columns begins.
template <weight_format Format>
FADE_FN constexpr int bit_of(int at) {
    if (Format.order == weight_order::awq) return (at % 2 * 4 + at / 2) * 4;
    return at * Format.bits();
}

}  // namespace FADE_NAMESPACE

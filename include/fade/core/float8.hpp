// The 8-bit floating-point types, as storage: OCP (gfx950, gfx12, NVIDIA) and FNUZ (gfx942), which are not
// the same numbers.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/dtype_names.hpp>

namespace FADE_NAMESPACE {

/// Exponent bits, mantissa bits, bias, and whether it is FNUZ (one NaN at 0x80, no infinity, no negative
/// zero). OCP e4m3 has no infinity either (NaN 0x7f); OCP e5m2 is a short binary16. Source: OCP 8-bit
/// Floating Point Specification 1.0.
template <int Exponent, int Mantissa, int Bias, bool Fnuz>
struct float8 {
    std::uint8_t bits;                                            ///< as in memory
    static constexpr int mantissa = Mantissa;                     ///< bits of the mantissa
    static constexpr int bias = Bias;                             ///< of the exponent
    static constexpr bool fnuz = Fnuz;                            ///< one NaN, no infinity, no negative zero
    static constexpr bool has_infinity = !Fnuz && Exponent == 5;  ///< has it two infinities?
    /// Bits of a NaN.
    static constexpr std::uint8_t nan = Fnuz ? 0x80 : has_infinity ? 0x7e : 0x7f;
    /// Bits of the largest finite number.
    static constexpr std::uint8_t largest = Fnuz ? 0x7f : has_infinity ? 0x7b : 0x7e;
};

template <class T>
inline constexpr bool is_float8 = false;
template <int E, int M, int B, bool F>
inline constexpr bool is_float8<float8<E, M, B, F>> = true;

using f8e4m3 = float8<4, 3, 7, false>;
using f8e5m2 = float8<5, 2, 15, false>;
using f8e4m3fnuz = float8<4, 3, 8, true>;
using f8e5m2fnuz = float8<5, 2, 16, true>;

/// Exact.
template <int E, int M, int B, bool F>
FADE_FN constexpr float to_f32(float8<E, M, B, F> x) {
    using type = float8<E, M, B, F>;
    const std::uint32_t magnitude = x.bits & 0x7fu, sign = std::uint32_t(x.bits & 0x80u) << 24;
    if (F ? x.bits == 0x80 : magnitude > (type::has_infinity ? 0x7cu : 0x7eu))
        return std::bit_cast<float>(0x7fc00000u);
    if (type::has_infinity && magnitude == 0x7cu) return std::bit_cast<float>(sign | 0x7f800000u);
    const float small = float(int(magnitude)) * std::bit_cast<float>(std::uint32_t(128 - B - M) << 23);
    const std::uint32_t normal = (magnitude << (23 - M)) + (std::uint32_t(127 - B) << 23);
    return std::bit_cast<float>(sign | (magnitude >> M == 0 ? std::bit_cast<std::uint32_t>(small) : normal));
}

/// Nearest, ties to even. What lies beyond the largest number becomes infinity where the type has one, else
/// NaN; NaN stays NaN.
template <class T>
FADE_FN constexpr T to_float8(float value) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(value), x = all & 0x7fffffffu;
    const std::uint8_t sign = std::uint8_t(all >> 24 & 0x80u),
                       overflow = T::has_infinity ? std::uint8_t(0x7c) : T::nan;
    if (x > 0x7f800000u) return {std::uint8_t(T::fnuz ? T::nan : T::nan | sign)};
    constexpr int shift = 23 - T::mantissa;
    constexpr std::uint32_t smallest_normal = std::uint32_t(128 - T::bias) << 23;
    std::uint32_t bits = 0;
    if (x < smallest_normal) {
        // Adding 2^(shift - 22 - bias...) puts the last kept bit at the end of the f32 mantissa, so the
        // addition rounds.
        constexpr std::uint32_t magic = std::uint32_t(128 - T::bias + shift) << 23;
        bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + std::bit_cast<float>(magic)) - magic;
    } else {
        bits = (x + ((1u << (shift - 1)) - 1) + (x >> shift & 1u) - (std::uint32_t(127 - T::bias) << 23)) >>
               shift;
    }
    if (bits > T::largest) return {std::uint8_t(T::fnuz ? T::nan : overflow | sign)};
    if (T::fnuz && bits == 0) return {0};
    return {std::uint8_t(bits | sign)};
}

}  // namespace FADE_NAMESPACE

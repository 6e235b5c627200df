// Two 8-bit floats at once as two f16 of a register: whole registers are shifted and masked, the elements
// never stand alone.
#pragma once
#include <cstdint>
#include <fade/core/float8.hpp>

namespace FADE_NAMESPACE {

namespace detail {

inline constexpr std::uint32_t float8_signs = 0x80008000u;

/// What makes an f16 NaN of FNUZ's: a sign and no magnitude.
FADE_FN constexpr std::uint32_t fnuz_nan(std::uint32_t sign, std::uint32_t magnitude) {
    const std::uint32_t nan = sign & ~(magnitude + 0x7fff7fffu);
    return nan - (nan >> 6);
}

/// e4m3 with its exponent where f16 has it, too small by 2^(15 - bias); NaN is one already. `moved`: by one
/// bit, the sign twice.
template <class T>
FADE_FN constexpr std::uint32_t as_small_f16(std::uint32_t moved) {
    const std::uint32_t x = moved & 0xbf80bf80u;
    if constexpr (T::fnuz)
        return x | fnuz_nan(x & float8_signs, x & ~float8_signs);
    else
        return x | ((x + 0x00800080u) & 0x40004000u);  // only NaN's magnitude, the largest, reaches that bit
}

/// e5m2 of bias 16: exponents go down by one, and what is subnormal then is shifted.
FADE_FN constexpr std::uint32_t halved_e5m2(std::uint32_t halves) {
    const std::uint32_t sign = halves & float8_signs, h = halves & 0x7f007f00u;
    const std::uint32_t large = (h + 0x78007800u) & float8_signs,
                        where = (large << 1) - (large >> 15);  // in two steps: all bits of a half
    return sign | ((h - (large >> 5)) & where) | (h >> 1 & ~where) | fnuz_nan(sign, h);
}

}  // namespace detail

/// The two 8-bit floats in the upper bytes of the halves of a register, as two f16; the other bytes may hold
/// anything. Exact, infinity and NaN are kept. Machine::times multiplies two f16, which may be subnormal, by
/// a power of two; Machine::shifted moves two signed numbers of 16 bits by one bit to the right.
template <class T, class Machine>
FADE_FN constexpr std::uint32_t f16_pair(std::uint32_t halves) {
    if constexpr (T::mantissa == 3)
        return Machine::times(detail::as_small_f16<T>(Machine::shifted(halves)), float(1 << (15 - T::bias)));
    else if constexpr (T::fnuz)
        return detail::halved_e5m2(halves);
    else
        return halves & 0xff00ff00u;
}

}  // namespace FADE_NAMESPACE

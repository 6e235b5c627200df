// What a bit pattern is worth and how a real is rounded, by arithmetic of the tests' own: no conversion of FADE's is used.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <limits>

namespace fade::test {

/// Exponent and mantissa bits of a binary interchange format.
struct number_format {
    int exponent, mantissa;
    constexpr int lowest_exponent() const { return 2 - (1 << (exponent - 1)); }   // of normal numbers
    constexpr std::uint32_t infinity() const { return ((1u << exponent) - 1) << mantissa; }
    constexpr std::uint32_t sign() const { return 1u << (exponent + mantissa); }
};

template <class T>
inline constexpr number_format format_of{8, 23};
template <>
inline constexpr number_format format_of<f16>{5, 10};
template <>
inline constexpr number_format format_of<bf16>{8, 7};

inline double decode(number_format f, std::uint32_t bits) {
    const std::uint32_t magnitude = bits & (f.sign() - 1), exponent = magnitude >> f.mantissa, mantissa = magnitude & ((1u << f.mantissa) - 1);
    double v = std::ldexp(double(mantissa + (exponent ? 1u << f.mantissa : 0u)), int(exponent ? exponent - 1 : 0) + f.lowest_exponent() - f.mantissa);
    if (magnitude >= f.infinity()) v = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return bits & f.sign() ? -v : v;
}

/// Nearest, ties to even, by scaling to whole numbers of the last place. A NaN becomes the quiet one without payload.
inline std::uint32_t encode(number_format f, double v) {
    const std::uint32_t sign = std::signbit(v) ? f.sign() : 0u;
    if (std::isnan(v)) return sign | f.infinity() | 1u << (f.mantissa - 1);
    if (std::isinf(v)) return sign | f.infinity();
    int exponent = 0;
    std::frexp(v, &exponent);
    const int scale = std::max(v == 0 ? f.lowest_exponent() : exponent - 1, f.lowest_exponent());
    const auto whole = std::uint64_t(std::nearbyint(std::ldexp(std::fabs(v), f.mantissa - scale)));
    const std::uint64_t bits = (std::uint64_t(scale - f.lowest_exponent()) << f.mantissa) + whole;
    return sign | std::uint32_t(std::min<std::uint64_t>(bits, f.infinity()));
}

template <class T>
double value_of(T x) {
    if constexpr (sizeof(T) == 2) return decode(format_of<T>, x.bits);
    else return double(x);
}

template <class T>
T nearest(double v) {
    if constexpr (sizeof(T) == 2) return T{std::uint16_t(encode(format_of<T>, v))};
    else return T(v);
}

constexpr double power_of_two(int e) { return e < 0 ? power_of_two(e + 1) / 2 : e > 0 ? power_of_two(e - 1) * 2 : 1; }

/// Half a unit in the last place of 1: what one rounding loses at most, relatively.
template <class T>
inline constexpr double unit_roundoff = power_of_two(-format_of<T>.mantissa - 1);
template <class T>
inline constexpr double smallest_normal = power_of_two(format_of<T>.lowest_exponent());

/// A quiet NaN whose payload no computation makes: memory that must stay as it is, or must be overwritten.
template <class T>
T poison() {
    if constexpr (std::is_same_v<T, f16>) return {0x7e5a};
    else if constexpr (std::is_same_v<T, bf16>) return {0x7fda};
    else return std::bit_cast<T>(0x7fda5a5a);
}

template <class T>
bool is_poison(T x) {
    if constexpr (sizeof(T) == 2) return x.bits == poison<T>().bits;
    else return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(poison<T>());
}

}  // namespace fade::test

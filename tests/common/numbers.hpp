// What a bit pattern is worth and how a real is rounded, by arithmetic of the tests' own: no conversion of
// FADE's is used.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fade/core/dtype.hpp>
#include <limits>
#include <type_traits>
#include <vector>

namespace fade::test {

/// How a floating-point type spells numbers: IEEE 754's way; without infinity (all ones is NaN); or FNUZ
/// (minus zero is NaN).
enum class spelling { ieee, no_infinity, fnuz };

struct number_format {
    int exponent, mantissa, bias;
    spelling as = spelling::ieee;
    constexpr int lowest_exponent() const { return 1 - bias; }  // of normal numbers
    constexpr std::uint32_t sign() const { return 1u << (exponent + mantissa); }
    constexpr std::uint32_t infinity() const { return ((1u << exponent) - 1) << mantissa; }  // IEEE's
    constexpr std::uint32_t largest() const {
        return as == spelling::ieee ? infinity() - 1 : as == spelling::fnuz ? sign() - 1 : sign() - 2;
    }
    constexpr std::uint32_t nan() const {
        return as == spelling::ieee   ? infinity() | 1u << (mantissa - 1)
               : as == spelling::fnuz ? sign()
                                      : sign() - 1;
    }
};

template <class T>
inline constexpr number_format format_of{8, 23, 127};
template <>
inline constexpr number_format format_of<double>{11, 52, 1023};  // for its constants alone: bits do not fit
template <>
inline constexpr number_format format_of<f16>{5, 10, 15};
template <>
inline constexpr number_format format_of<bf16>{8, 7, 127};
template <>
inline constexpr number_format format_of<f8e4m3>{4, 3, 7, spelling::no_infinity};
template <>
inline constexpr number_format format_of<f8e5m2>{5, 2, 15};
template <>
inline constexpr number_format format_of<f8e4m3fnuz>{4, 3, 8, spelling::fnuz};
template <>
inline constexpr number_format format_of<f8e5m2fnuz>{5, 2, 16, spelling::fnuz};

inline double decode(number_format f, std::uint32_t bits) {
    const std::uint32_t magnitude = bits & (f.sign() - 1), exponent = magnitude >> f.mantissa,
                        mantissa = magnitude & ((1u << f.mantissa) - 1);
    if (f.as == spelling::fnuz ? bits == f.sign() : magnitude > f.largest() + (f.as == spelling::ieee))
        return std::numeric_limits<double>::quiet_NaN();
    double v = std::ldexp(double(mantissa + (exponent ? 1u << f.mantissa : 0u)),
                          int(exponent ? exponent - 1 : 0) + f.lowest_exponent() - f.mantissa);
    if (magnitude > f.largest()) v = std::numeric_limits<double>::infinity();
    return bits & f.sign() ? -v : v;
}

/// Nearest, ties to even, by scaling to whole numbers of the last place. Beyond the largest number lies
/// infinity, or NaN where there is none.
inline std::uint32_t encode(number_format f, double v) {
    const std::uint32_t sign = std::signbit(v) ? f.sign() : 0u;
    if (std::isnan(v)) return sign | f.nan();
    const std::uint32_t overflow = f.as == spelling::ieee ? sign | f.infinity() : sign | f.nan();
    if (std::isinf(v)) return overflow;
    int exponent = 0;
    std::frexp(v, &exponent);
    const int scale = std::max(v == 0 ? f.lowest_exponent() : exponent - 1, f.lowest_exponent());
    const auto whole = std::uint64_t(std::nearbyint(std::ldexp(std::fabs(v), f.mantissa - scale)));
    const std::uint64_t bits = (std::uint64_t(scale - f.lowest_exponent()) << f.mantissa) + whole;
    if (bits > f.largest()) return overflow;
    return f.as == spelling::fnuz && bits == 0 ? 0 : sign | std::uint32_t(bits);
}

/// decode() of every pattern of a type. References read each element for many products, and decoding it anew
/// was half of the time that tests of 8- and 16-bit types ran.
template <class T>
const double* all_values() {
    static_assert(sizeof(T) <= 2);
    static const std::vector<double> all = [] {
        std::vector<double> values(std::size_t{1} << (8 * sizeof(T)));
        for (std::uint32_t bits = 0; bits < values.size(); ++bits) values[bits] = decode(format_of<T>, bits);
        return values;
    }();
    return all.data();
}

template <class T>
double value_of(T x) {
    if constexpr (std::is_arithmetic_v<T>)
        return double(x);
    else
        return all_values<T>()[x.bits];
}

template <class T>
T nearest(double v) {
    if constexpr (std::is_integral_v<T>)
        return T(std::clamp(std::nearbyint(v), double(std::numeric_limits<T>::min()),
                            double(std::numeric_limits<T>::max())));
    else if constexpr (std::is_arithmetic_v<T>)
        return T(v);
    else
        return T{decltype(T::bits)(encode(format_of<T>, v))};
}

constexpr double power_of_two(int e) {
    double v = 1;
    for (; e < 0; ++e) v /= 2;
    for (; e > 0; --e) v *= 2;
    return v;
}

/// Half a unit in the last place of 1: what one rounding loses at most, relatively.
template <class T>
inline constexpr double unit_roundoff = std::is_integral_v<T> ? 0 : power_of_two(-format_of<T>.mantissa - 1);
template <class T>
inline constexpr double smallest_normal = power_of_two(format_of<T>.lowest_exponent());

/// A NaN (or, among integers, a number) that no computation makes: memory that must stay as it is, or must be
/// overwritten.
template <class T>
T poison() {
    if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<T>(0x7ffa5a5a5a5a5a5aull);
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<T>(0x7fda5a5a);
    else if constexpr (std::is_integral_v<T>)
        return T(0x5a5a5a5a);
    else if constexpr (sizeof(T) == 1)
        return {std::uint8_t(format_of<T>.nan())};
    else
        return {std::uint16_t(std::is_same_v<T, f16> ? 0x7e5a : 0x7fda)};
}

template <class T>
bool is_poison(T x) {
    const T p = poison<T>();
    return std::memcmp(&x, &p, sizeof x) == 0;
}

}  // namespace fade::test

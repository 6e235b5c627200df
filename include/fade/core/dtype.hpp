// The element types: their names, their accumulators, their conversions.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/float8.hpp>
#include <fade/core/half.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

using index = std::int64_t;
__extension__ typedef __int128 wide_index;  // holds products of two; -pedantic knows it this way only
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i32 = std::int32_t;

template <class T>
struct dtype_of {
    static_assert(sizeof(T) == 0,
                  "this is no element type of FADE: it has f64, f32, f16, bf16, i8, i32 and "
                  "the f8 types of namespace fade, so name one of those (pointers to _Float16, "
                  "__half, __nv_bfloat16 and their kin are taken for f16 and bf16) or convert");
};
template <>
struct dtype_of<f64> {
    static constexpr dtype value = dtype::f64;
    using accumulator = f64;
};
template <>
struct dtype_of<f32> {
    static constexpr dtype value = dtype::f32;
    using accumulator = f32;
};
template <>
struct dtype_of<f16> {
    static constexpr dtype value = dtype::f16;
    using accumulator = f32;
};
template <>
struct dtype_of<bf16> {
    static constexpr dtype value = dtype::bf16;
    using accumulator = f32;
};
template <>
struct dtype_of<i8> {
    static constexpr dtype value = dtype::i8;
    using accumulator = i32;
};
template <>
struct dtype_of<f8e4m3> {
    static constexpr dtype value = dtype::f8e4m3;
    using accumulator = f32;
};
template <>
struct dtype_of<f8e5m2> {
    static constexpr dtype value = dtype::f8e5m2;
    using accumulator = f32;
};
template <>
struct dtype_of<f8e4m3fnuz> {
    static constexpr dtype value = dtype::f8e4m3fnuz;
    using accumulator = f32;
};
template <>
struct dtype_of<f8e5m2fnuz> {
    static constexpr dtype value = dtype::f8e5m2fnuz;
    using accumulator = f32;
};
template <>
struct dtype_of<i32> {
    static constexpr dtype value = dtype::i32;
    using accumulator = i32;
};

/// Is T an element type? Where not, it does not compile, and says so.
template <class T>
constexpr bool is_element() {
    return requires { typename dtype_of<T>::accumulator; };
}

/// What products of T are summed in: f64 for f64, i32 for i8, else f32.
template <class T>
using accumulator_t = typename dtype_of<T>::accumulator;

template <class T>
constexpr dtype dtype_v = dtype_of<T>::value;

template <class T>
inline constexpr bool is_storage = !std::is_arithmetic_v<T>;  // the types whose arithmetic happens in f32

/// Are elements of T reals?
template <class T>
inline constexpr bool floating_element = !std::is_integral_v<T>;

template <class T>
inline constexpr T min_whole = T(std::uint64_t(-1) << (8 * sizeof(T) - 1));
template <class T>
inline constexpr T max_whole = T(~min_whole<T>);

/// By bits: compilers that are told of no NaN forget comparisons.
FADE_FN constexpr bool is_nan(float x) { return std::bit_cast<std::uint32_t>(x) << 1 > 0xff000000u; }
FADE_FN constexpr bool is_nan(double x) { return std::bit_cast<std::uint64_t>(x) << 1 > 0xffe0000000000000u; }

/// The nearest whole number, ties to even. What lies beyond T's range becomes its end, NaN zero.
template <class T, class From>
FADE_FN constexpr T nearest_whole(From x) {
    constexpr From min = From(min_whole<T>), end = -min;  // both are powers of two
    if (is_nan(x)) return 0;
    const From whole = sizeof(From) == 8 ? From(__builtin_rint(double(x))) : From(__builtin_rintf(float(x)));
    return whole <= min ? min_whole<T> : whole >= end ? max_whole<T> : T(whole);
}

template <class To>
FADE_FN constexpr To from_f32(float x) {
    if constexpr (std::is_integral_v<To>)
        return nearest_whole<To>(x);
    else if constexpr (std::is_same_v<To, f16>)
        return to_f16(x);
    else if constexpr (std::is_same_v<To, bf16>)
        return to_bf16(x);
    else if constexpr (is_storage<To>)
        return to_float8<To>(x);
    else
        return static_cast<To>(x);
}

/// One element in another type, rounded to nearest, ties to even. Whole numbers end at the ends of their
/// range.
template <class To, class From>
FADE_FN constexpr To convert(From x) {
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (is_storage<From>)
        return from_f32<To>(to_f32(x));
    else if constexpr (is_storage<To>)
        return from_f32<To>(float(x));
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return nearest_whole<To>(x);
    else if constexpr (std::is_integral_v<To> && sizeof(To) < sizeof(From))
        return x < min_whole<To> ? min_whole<To> : x > max_whole<To> ? max_whole<To> : To(x);
    else
        return static_cast<To>(x);
}

}  // namespace FADE_NAMESPACE

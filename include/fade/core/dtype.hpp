// The element types: their names, their accumulators, their conversions.
#pragma once
#include <cstdint>
#include <type_traits>
#include <fade/core/float8.hpp>
#include <fade/core/half.hpp>

namespace fade {

using index = std::int64_t;
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i32 = std::int32_t;

enum class dtype { f64, f32, f16, bf16, i8, i32, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz };

template <class T>
struct dtype_of {
    static_assert(sizeof(T) == 0, "this is no element type of FADE: it has f64, f32, f16, bf16, i8, i32 and the f8 types of namespace fade, so convert to one of those");
};
template <> struct dtype_of<f64> { static constexpr dtype value = dtype::f64; using accumulator = f64; };
template <> struct dtype_of<f32> { static constexpr dtype value = dtype::f32; using accumulator = f32; };
template <> struct dtype_of<f16> { static constexpr dtype value = dtype::f16; using accumulator = f32; };
template <> struct dtype_of<bf16> { static constexpr dtype value = dtype::bf16; using accumulator = f32; };
template <> struct dtype_of<i8> { static constexpr dtype value = dtype::i8; using accumulator = i32; };
template <> struct dtype_of<f8e4m3> { static constexpr dtype value = dtype::f8e4m3; using accumulator = f32; };
template <> struct dtype_of<f8e5m2> { static constexpr dtype value = dtype::f8e5m2; using accumulator = f32; };
template <> struct dtype_of<f8e4m3fnuz> { static constexpr dtype value = dtype::f8e4m3fnuz; using accumulator = f32; };
template <> struct dtype_of<f8e5m2fnuz> { static constexpr dtype value = dtype::f8e5m2fnuz; using accumulator = f32; };
template <> struct dtype_of<i32> { static constexpr dtype value = dtype::i32; using accumulator = i32; };

/// What products of T are summed in: f64 for f64, i32 for i8, else f32.
template <class T>
using accumulator_t = typename dtype_of<T>::accumulator;

constexpr const char* name(dtype t) {
    constexpr const char* names[] = {"f64", "f32", "f16", "bf16", "i8", "i32", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};
    return names[int(t)];
}

constexpr int bytes_of(dtype t) {
    constexpr int bytes[] = {8, 4, 2, 2, 1, 4, 1, 1, 1, 1};
    return bytes[int(t)];
}

template <class T>
constexpr dtype dtype_v = dtype_of<T>::value;

template <class T>
inline constexpr bool is_storage = !std::is_arithmetic_v<T>;   // the types whose arithmetic happens in f32

template <class To>
FADE_FN constexpr To from_f32(float x) {
    if constexpr (std::is_same_v<To, f16>) return to_f16(x);
    else if constexpr (std::is_same_v<To, bf16>) return to_bf16(x);
    else if constexpr (is_storage<To>) return to_float8<To>(x);
    else return static_cast<To>(x);
}

/// One element in another type; to 16 and 8 bits with round to nearest even.
template <class To, class From>
FADE_FN constexpr To convert(From x) {
    if constexpr (std::is_same_v<To, From>) return x;
    else if constexpr (is_storage<From>) return from_f32<To>(to_f32(x));
    else if constexpr (is_storage<To>) return from_f32<To>(float(x));
    else return static_cast<To>(x);
}

}  // namespace fade

// The element types: their names, their accumulators, their conversions.
#pragma once
#include <cstdint>
#include <fade/core/half.hpp>

namespace fade {

using index = std::int64_t;
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i32 = std::int32_t;

enum class dtype { f64, f32, f16, bf16, i8, i32 };

template <class T>
struct dtype_of;
template <> struct dtype_of<f64> { static constexpr dtype value = dtype::f64; using accumulator = f64; };
template <> struct dtype_of<f32> { static constexpr dtype value = dtype::f32; using accumulator = f32; };
template <> struct dtype_of<f16> { static constexpr dtype value = dtype::f16; using accumulator = f32; };
template <> struct dtype_of<bf16> { static constexpr dtype value = dtype::bf16; using accumulator = f32; };
template <> struct dtype_of<i8> { static constexpr dtype value = dtype::i8; using accumulator = i32; };
template <> struct dtype_of<i32> { static constexpr dtype value = dtype::i32; using accumulator = i32; };

/// What products of T are summed in: f64 for f64, i32 for i8, else f32.
template <class T>
using accumulator_t = typename dtype_of<T>::accumulator;

constexpr const char* name(dtype t) {
    constexpr const char* names[] = {"f64", "f32", "f16", "bf16", "i8", "i32"};
    return names[int(t)];
}

constexpr int bytes_of(dtype t) {
    constexpr int bytes[] = {8, 4, 2, 2, 1, 4};
    return bytes[int(t)];
}

template <class T>
constexpr dtype dtype_v = dtype_of<T>::value;

template <class To, class From>
struct converter {
    FADE_FN static constexpr To apply(From x) { return static_cast<To>(x); }
};
template <class From> struct converter<f16, From> { FADE_FN static constexpr f16 apply(From x) { return to_f16(float(x)); } };
template <class From> struct converter<bf16, From> { FADE_FN static constexpr bf16 apply(From x) { return to_bf16(float(x)); } };
template <class To> struct converter<To, f16> { FADE_FN static constexpr To apply(f16 x) { return To(to_f32(x)); } };
template <class To> struct converter<To, bf16> { FADE_FN static constexpr To apply(bf16 x) { return To(to_f32(x)); } };
template <> struct converter<f16, f16> { FADE_FN static constexpr f16 apply(f16 x) { return x; } };
template <> struct converter<bf16, bf16> { FADE_FN static constexpr bf16 apply(bf16 x) { return x; } };
template <> struct converter<f16, bf16> { FADE_FN static constexpr f16 apply(bf16 x) { return to_f16(to_f32(x)); } };
template <> struct converter<bf16, f16> { FADE_FN static constexpr bf16 apply(f16 x) { return to_bf16(to_f32(x)); } };

/// One element in another type; to 16 bits with round to nearest even.
template <class To, class From>
FADE_FN constexpr To convert(From x) { return converter<To, From>::apply(x); }

}  // namespace fade

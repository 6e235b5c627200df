// Functions of f32, and conversions of pairs, in one instruction each.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::backend::cuda {

__device__ __forceinline__ float exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float log2(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// To one unit in the last place.
__device__ __forceinline__ float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// The larger number, or NaN where one is.
__device__ __forceinline__ float maximum_or_nan(float a, float b) {
    float y;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}
/// The same of each of two f16 or bf16.
template <class T>
__device__ __forceinline__ std::uint32_t maximum_or_nan(std::uint32_t a, std::uint32_t b) {
    std::uint32_t y;
    if constexpr (std::is_same_v<T, f16>)
        asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    else
        asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

/// 0xffff in each half of a word where a 16-bit float of `a` is not below that of `b`.
template <class T>
__device__ __forceinline__ std::uint32_t at_least(std::uint32_t a, std::uint32_t b) {
    std::uint32_t y;
    if constexpr (std::is_same_v<T, f16>)
        asm("set.ge.u32.f16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    else
        asm("set.ge.u32.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
    return y;
}

/// Two numbers in a narrower type, to nearest with ties to even.
template <class T>
__device__ __forceinline__ vec<T, 2> narrow(float a, float b) {
    if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
        std::uint32_t both;
        if constexpr (std::is_same_v<T, f16>)
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(b), "f"(a));
        else
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(b), "f"(a));
        return __builtin_bit_cast(vec<T, 2>, both);
    } else
        return {convert<T>(a), convert<T>(b)};
}

/// Two numbers as the f16 of a register, each rounded to nearest, ties to even; and back.
__device__ __forceinline__ std::uint32_t round_halves(float a, float b) {
    return __builtin_bit_cast(std::uint32_t, narrow<f16>(a, b));
}
__device__ __forceinline__ vec<float, 2> widen_halves(std::uint32_t x) {
    vec<float, 2> y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y[0]) : "h"(std::uint16_t(x)));
    asm("cvt.f32.f16 %0, %1;" : "=f"(y[1]) : "h"(std::uint16_t(x >> 16)));
    return y;
}

/// x & mask | bits by one instruction, for which compilers would take two where both are constants.
__device__ __forceinline__ std::uint32_t and_or(std::uint32_t x, std::uint32_t mask, std::uint32_t bits) {
    std::uint32_t y;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(y) : "r"(x), "r"(mask), "r"(bits));
    return y;
}

/// Two f16 of a register: (x - zero) * scale, each step rounded to nearest.
__device__ __forceinline__ std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero,
                                                      std::uint32_t scale) {
    std::uint32_t y;
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(zero));
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(y), "r"(scale));
    return y;
}

/// Two numbers of 16 bits of a register: x - zero, rounded to nearest. Of bf16 from sm_90 on.
template <class T>
__device__ __forceinline__ std::uint32_t difference(std::uint32_t x, std::uint32_t zero) {
    std::uint32_t y;
    if constexpr (std::is_same_v<T, f16>)
        asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(zero));
    else
        asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(x), "r"(zero));
    return y;
}

/// Two bf16 of a register: (x - zero) * (scale + rest), where the difference and its product with `rest` are
/// exact, so that one rounding to nearest remains.
__device__ __forceinline__ std::uint32_t scale_bfloats(std::uint32_t x, std::uint32_t zero,
                                                       std::uint32_t scale, std::uint32_t rest) {
    std::uint32_t difference, small, y;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(difference)
        : "r"(x), "r"(0x3f803f80u), "r"(zero ^ 0x80008000u));
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(small) : "r"(difference), "r"(rest), "r"(0x80008000u));
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(y) : "r"(difference), "r"(scale), "r"(small));
    return y;
}

}  // namespace FADE_NAMESPACE::backend::cuda

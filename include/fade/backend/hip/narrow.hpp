// Pairs of f32 as pairs of a narrower type, in as few instructions as the architecture has.
#pragma once
#include <cstdint>
#include <type_traits>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>

namespace fade::backend::hip {

/// For numbers whose last bit does not matter, as probabilities: f16 rounds toward zero (the only packed conversion that every
/// architecture has), bf16 to nearest with ties away from zero; NaN stays NaN.
template <class T>
__device__ inline __attribute__((always_inline)) vec<T, 2> narrow(float a, float b) {
    if constexpr (std::is_same_v<T, f16>) return __builtin_bit_cast(vec<f16, 2>, __builtin_amdgcn_cvt_pkrtz(a, b));
    else if constexpr (std::is_same_v<T, bf16>) {
#if defined(__gfx950__)
        return {__builtin_bit_cast(bf16, static_cast<__bf16>(a)), __builtin_bit_cast(bf16, static_cast<__bf16>(b))};
#else
        const std::uint32_t x = __builtin_bit_cast(std::uint32_t, a) + 0x8000u, y = __builtin_bit_cast(std::uint32_t, b) + 0x8000u;
        return __builtin_bit_cast(vec<bf16, 2>, __builtin_amdgcn_perm(y, x, 0x07060302u));
#endif
    } else return {convert<T>(a), convert<T>(b)};
}

}  // namespace fade::backend::hip

// Pairs of f32 as pairs of a narrower type, in as few instructions as the architecture has.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/number/narrow_loss.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::backend::hip {

/// For numbers whose last bit does not matter, as probabilities: rounds toward zero, f16 by the only packed
/// conversion that every architecture has, bf16 by leaving bits out (gfx950 rounds it to nearest); NaN stays
/// NaN.
template <class T>
__device__ inline __attribute__((always_inline)) vec<T, 2> narrow(float a, float b) {
    if constexpr (std::is_same_v<T, f16>)
        return __builtin_bit_cast(vec<f16, 2>, __builtin_amdgcn_cvt_pkrtz(a, b));
    else if constexpr (std::is_same_v<T, bf16>) {
#if defined(__gfx950__)
        using pair = float __attribute__((ext_vector_type(2)));
        return __builtin_bit_cast(
            vec<bf16, 2>, __builtin_convertvector(pair{a, b}, __bf16 __attribute__((ext_vector_type(2)))));
#else
        return __builtin_bit_cast(vec<bf16, 2>,
                                  __builtin_amdgcn_perm(__builtin_bit_cast(std::uint32_t, b),
                                                        __builtin_bit_cast(std::uint32_t, a), 0x07060302u));
#endif
    } else
        return {convert<T>(a), convert<T>(b)};
}

/// Two operations of one instruction of gfx11 and gfx12 read and write different banks of registers, as
/// neighbours are.
__device__ inline __attribute__((always_inline)) void pack2([[maybe_unused]] vec<float, 2>& x) {
#if defined(__GFX11__) || defined(__GFX12__)
    using pair = float __attribute__((ext_vector_type(2)));
    auto both = __builtin_bit_cast(pair, x);
    asm("" : "+v"(both));
    x = __builtin_bit_cast(vec<float, 2>, both);
#endif
}

template <class T>
inline constexpr narrow_loss lost{};
template <>
inline constexpr narrow_loss lost<f16> = narrow_loss::toward_zero(10);
#if !defined(__gfx950__)
template <>
inline constexpr narrow_loss lost<bf16> = narrow_loss::toward_zero(7);
#endif

}  // namespace FADE_NAMESPACE::backend::hip

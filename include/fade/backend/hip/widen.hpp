// Two 8-bit floats as two f16: by an instruction where the architecture has one for the type.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/number/float8_pairs.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::backend::hip {

namespace detail {

using f16_vector = _Float16 __attribute__((ext_vector_type(2)));
using i16_vector = short __attribute__((ext_vector_type(2)));

#if defined(__gfx950__) || defined(__GFX12__)
using native_e4m3 = f8e4m3;
#elif defined(__gfx942__)
using native_e4m3 = f8e4m3fnuz;
#else
using native_e4m3 = void;
#endif

struct pair_machine {
    __device__ static std::uint32_t times(std::uint32_t both, float factor) {
        return __builtin_bit_cast(std::uint32_t,
                                  __builtin_bit_cast(f16_vector, both) * f16_vector(_Float16(factor)));
    }
    __device__ static std::uint32_t shifted(std::uint32_t both) {
        return __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(i16_vector, both) >> 1);
    }
};

/// The low or high half of a register of four e4m3; not defined where no instruction does it.
template <bool High>
__device__ std::uint32_t widen_half(std::uint32_t four);
#if defined(__gfx950__)
template <bool High>
__device__ inline __attribute__((always_inline)) std::uint32_t widen_half(std::uint32_t four) {
    return __builtin_bit_cast(std::uint32_t, __builtin_amdgcn_cvt_scalef32_pk_f16_fp8(four, 1.0f, High));
}
#elif defined(__gfx942__) || defined(__GFX12__)
template <bool High>
__device__ inline __attribute__((always_inline)) std::uint32_t widen_half(std::uint32_t four) {
    const auto wide = __builtin_amdgcn_cvt_pk_f32_fp8(int(four), High);
    return __builtin_bit_cast(std::uint32_t, __builtin_amdgcn_cvt_pkrtz(wide[0], wide[1]));
}
#endif

}  // namespace detail

/// Elements `at` and at + 1 of register a if Neighbours (at is even), else elements `at` of a and of b.
/// Exact.
template <class T, bool Neighbours>
__device__ inline __attribute__((always_inline)) std::uint32_t widen(std::uint32_t a, std::uint32_t b,
                                                                     int at) {
    if constexpr (std::is_same_v<T, detail::native_e4m3>) {
        const std::uint32_t four =
            Neighbours ? a
                       : __builtin_amdgcn_perm(
                             b, a, at < 2 ? 0x05010400u : 0x07030602u);  // of columns two pairs at once
        return (Neighbours ? at == 2 : at % 2 == 1) ? detail::widen_half<true>(four)
                                                    : detail::widen_half<false>(four);
    } else {
        // Whole registers first, halves are picked then: each conversion serves two calls, and masks and
        // selectors are few enough for scalar registers.
        const bool odd = at % 2 == 1;
        const std::uint32_t first = f16_pair<T, detail::pair_machine>(odd ? a : a << 8),
                            second = f16_pair<T, detail::pair_machine>(Neighbours ? a
                                                                       : odd      ? b
                                                                                  : b << 8);
        return __builtin_amdgcn_perm(second, first, at < 2 ? 0x05040100u : 0x07060302u);
    }
}

/// Two f16 of a register: (x - zero) * scale, each step rounded to nearest.
__device__ inline __attribute__((always_inline)) std::uint32_t
scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
    using detail::f16_vector;
    return __builtin_bit_cast(std::uint32_t,
                              (__builtin_bit_cast(f16_vector, x) - __builtin_bit_cast(f16_vector, zero)) *
                                  __builtin_bit_cast(f16_vector, scale));
}

}  // namespace FADE_NAMESPACE::backend::hip

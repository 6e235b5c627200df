// The MFMA builtins, each behind the architectures that have it: a builtin on the wrong target dies in
// instruction selection.
#pragma once
#include <cstdint>
#include <fade/atom/bits.hpp>
#include <fade/core/operand_pair.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::atom {

template <class T, int M, int K>
struct mfma_execute {
    template <class D, class A>
    FADE_FN static void apply(D&, const A&,
                              const A&);  // no such instruction on the architecture of this pass
};

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

using f32x1 = float;
using f32x4 = float __attribute__((ext_vector_type(4)));
using f32x16 = float __attribute__((ext_vector_type(16)));
using f16x4 = _Float16 __attribute__((ext_vector_type(4)));
using f16x8 = _Float16 __attribute__((ext_vector_type(8)));
using s16x2 = short __attribute__((ext_vector_type(2)));
using s16x4 = short __attribute__((ext_vector_type(4)));
using bf16x8 = __bf16 __attribute__((ext_vector_type(8)));

using f64x4 = double __attribute__((ext_vector_type(4)));
using i32x4 = int __attribute__((ext_vector_type(4)));
using i32x8 = int __attribute__((ext_vector_type(8)));
using i32x16 = int __attribute__((ext_vector_type(16)));

/// Eight bytes, made of two registers: as a number of 64 bits the compiler would shift and join them, and
/// read each register of a wide load by itself.
struct i32_pair {
    using words = int __attribute__((ext_vector_type(2)));
    words held;
    FADE_FN operator long() const { return __builtin_bit_cast(long, held); }
};

#define FADE_MFMA(T, M, K, OPERAND, RESULT, BUILTIN)                                                         \
    template <>                                                                                              \
    struct mfma_execute<T, M, K> {                                                                           \
        template <class D, class A>                                                                          \
        FADE_FN static void apply(D& d, const A& a, const A& b) {                                            \
            d = bits<D>(BUILTIN(bits<OPERAND>(a), bits<OPERAND>(b), bits<RESULT>(d), 0, 0, 0));              \
        }                                                                                                    \
    };

FADE_MFMA(float, 32, 2, f32x1, f32x16, __builtin_amdgcn_mfma_f32_32x32x2f32)
FADE_MFMA(float, 16, 4, f32x1, f32x4, __builtin_amdgcn_mfma_f32_16x16x4f32)
FADE_MFMA(f16, 32, 8, f16x4, f32x16, __builtin_amdgcn_mfma_f32_32x32x8f16)
FADE_MFMA(f16, 16, 16, f16x4, f32x4, __builtin_amdgcn_mfma_f32_16x16x16f16)
#if defined(__gfx908__)
FADE_MFMA(bf16, 32, 4, s16x2, f32x16, __builtin_amdgcn_mfma_f32_32x32x4bf16)
FADE_MFMA(bf16, 16, 8, s16x2, f32x4, __builtin_amdgcn_mfma_f32_16x16x8bf16)
#else
FADE_MFMA(bf16, 32, 8, s16x4, f32x16, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
FADE_MFMA(bf16, 16, 16, s16x4, f32x4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
#endif
#if defined(__gfx950__)
FADE_MFMA(f16, 32, 16, f16x8, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_f16)
FADE_MFMA(f16, 16, 32, f16x8, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_f16)
FADE_MFMA(bf16, 32, 16, bf16x8, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_bf16)
FADE_MFMA(bf16, 16, 32, bf16x8, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_bf16)
#endif
#if defined(__gfx908__) || defined(__gfx90a__)
FADE_MFMA(i8, 32, 8, int, i32x16, __builtin_amdgcn_mfma_i32_32x32x8i8)
FADE_MFMA(i8, 16, 16, int, i32x4, __builtin_amdgcn_mfma_i32_16x16x16i8)
#elif defined(__gfx942__)
FADE_MFMA(i8, 32, 16, i32_pair, i32x16, __builtin_amdgcn_mfma_i32_32x32x16_i8)
FADE_MFMA(i8, 16, 32, i32_pair, i32x4, __builtin_amdgcn_mfma_i32_16x16x32_i8)
FADE_MFMA(f8e4m3fnuz, 16, 32, i32_pair, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
FADE_MFMA(f8e5m2fnuz, 16, 32, i32_pair, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8)
FADE_MFMA(f8e4m3fnuz, 32, 16, i32_pair, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8)
FADE_MFMA(f8e5m2fnuz, 32, 16, i32_pair, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8)
using fp8_bf8 = operand_pair<f8e4m3fnuz, f8e5m2fnuz>;
using bf8_fp8 = operand_pair<f8e5m2fnuz, f8e4m3fnuz>;
FADE_MFMA(fp8_bf8, 16, 32, i32_pair, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8)
FADE_MFMA(bf8_fp8, 16, 32, i32_pair, f32x4, __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8)
FADE_MFMA(fp8_bf8, 32, 16, i32_pair, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_fp8_bf8)
FADE_MFMA(bf8_fp8, 32, 16, i32_pair, f32x16, __builtin_amdgcn_mfma_f32_32x32x16_bf8_fp8)
#else
FADE_MFMA(i8, 32, 32, i32x4, i32x16, __builtin_amdgcn_mfma_i32_32x32x32_i8)
FADE_MFMA(i8, 16, 64, i32x4, i32x4, __builtin_amdgcn_mfma_i32_16x16x64_i8)
#endif
#if !defined(__gfx908__)
FADE_MFMA(double, 16, 4, double, f64x4, __builtin_amdgcn_mfma_f64_16x16x4f64)
#endif
#undef FADE_MFMA
#endif

#if defined(__gfx950__)
/// Two literal zeros for the scales select the unscaled instruction; the format codes are 0 for e4m3 and 1
/// for e5m2.
template <class T>
inline constexpr int mfma_format = std::is_same_v<T, f8e5m2> ? 1 : 0;
template <class T>
struct mfma_execute<T, 32, 64> {
    template <class D, class A>
    FADE_FN static void apply(D& d, const A& a, const A& b) {
        constexpr int of_a = mfma_format<element_of_a<T>>, of_b = mfma_format<element_of_b<T>>;
        d = bits<D>(__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(bits<i32x8>(a), bits<i32x8>(b),
                                                                    bits<f32x16>(d), of_a, of_b, 0, 0, 0, 0));
    }
};
template <class T>
struct mfma_execute<T, 16, 128> {
    template <class D, class A>
    FADE_FN static void apply(D& d, const A& a, const A& b) {
        constexpr int of_a = mfma_format<element_of_a<T>>, of_b = mfma_format<element_of_b<T>>;
        d = bits<D>(__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(bits<i32x8>(a), bits<i32x8>(b),
                                                                     bits<f32x4>(d), of_a, of_b, 0, 0, 0, 0));
    }
};
#endif

}  // namespace FADE_NAMESPACE::atom

// WMMA of RDNA3 and RDNA3.5 (gfx11), wave32: every 16-lane half holds a copy of the whole operand.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::atom {

template <class T>
struct wmma_gfx11 {
    using element = T;
    using accumulator = accumulator_t<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = 16, n = 16, k = 16, lanes = 32;
    static constexpr int a_size = 16, b_size = 16, d_size = 8;
    static constexpr int a_copies = 2, b_copies = 2;
    static constexpr int lane_rows = 1, lane_columns = 1, k_groups = 1, lane_k = 16;

    FADE_FN static constexpr coordinate a_at(int lane, int e) { return {lane % 16, e}; }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return {lane % 16, e}; }
    FADE_FN static constexpr coordinate d_at(int lane, int g) { return {2 * g + lane / 16, lane % 16}; }
    FADE_FN static constexpr int a_row(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int k_group(int) { return 0; }
    FADE_FN static constexpr lane_element a_element(int e) { return {0, e}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute(vec<accumulator, 8>& d, const vec<T, 16>& a, const vec<T, 16>& b);
};

#if defined(__GFX11__)
using wmma_f32x8 = float __attribute__((ext_vector_type(8)));
using wmma_f16x16 = _Float16 __attribute__((ext_vector_type(16)));
using wmma_s16x16 = short __attribute__((ext_vector_type(16)));

template <>
FADE_FN void wmma_gfx11<f16>::execute(vec<float, 8>& d, const vec<f16, 16>& a, const vec<f16, 16>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(
        bits<wmma_f16x16>(a), bits<wmma_f16x16>(b), bits<wmma_f32x8>(d)));
}
template <>
FADE_FN void wmma_gfx11<bf16>::execute(vec<float, 8>& d, const vec<bf16, 16>& a, const vec<bf16, 16>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(
        bits<wmma_s16x16>(a), bits<wmma_s16x16>(b), bits<wmma_f32x8>(d)));
}
using wmma_i32x4 = int __attribute__((ext_vector_type(4)));
using wmma_i32x8 = int __attribute__((ext_vector_type(8)));
template <>
FADE_FN void wmma_gfx11<i8>::execute(vec<i32, 8>& d, const vec<i8, 16>& a, const vec<i8, 16>& b) {
    d = bits<vec<i32, 8>>(__builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(
        true, bits<wmma_i32x4>(a), true, bits<wmma_i32x4>(b), bits<wmma_i32x8>(d), false));
}
#endif

}  // namespace FADE_NAMESPACE::atom

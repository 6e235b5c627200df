// WMMA of RDNA4 (gfx1200, gfx1201), wave32: the two 16-lane halves share the operand, D has eight consecutive
// rows a lane.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/operand_pair.hpp>

namespace FADE_NAMESPACE::atom {

template <class T>
struct wmma_gfx12 {
    using element = T;
    using accumulator = accumulator_t<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = 16, n = 16, k = 16, lanes = 32;
    static constexpr int a_size = 8, b_size = 8, d_size = 8;
    static constexpr int a_copies = 1, b_copies = 1;
    // A and B may be loaded with any common permutation of k: eight consecutive k a lane make one 16-byte
    // load.
    static constexpr int lane_rows = 1, lane_columns = 1, k_groups = 2, lane_k = 16 / int(sizeof(T));

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        if constexpr (sizeof(T) == 1) return {lane % 16, 8 * (lane / 16) + e};
        return {lane % 16, 8 * (e / 4) + 4 * (lane / 16) + e % 4};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return a_at(lane, e); }
    FADE_FN static constexpr coordinate d_at(int lane, int g) { return {8 * (lane / 16) + g, lane % 16}; }
    FADE_FN static constexpr int a_row(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int k_group(int lane) { return lane / 16; }
    FADE_FN static constexpr lane_element a_element(int e) { return {0, e}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute(vec<accumulator, 8>& d, const vec<T, 8>& a, const vec<T, 8>& b);
};

#if defined(__gfx1200__) || defined(__gfx1201__)
using wmma_f32x8 = float __attribute__((ext_vector_type(8)));
using wmma_f16x8 = _Float16 __attribute__((ext_vector_type(8)));
using wmma_s16x8 = short __attribute__((ext_vector_type(8)));

template <>
FADE_FN void wmma_gfx12<f16>::execute(vec<float, 8>& d, const vec<f16, 8>& a, const vec<f16, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(
        bits<wmma_f16x8>(a), bits<wmma_f16x8>(b), bits<wmma_f32x8>(d)));
}
template <>
FADE_FN void wmma_gfx12<bf16>::execute(vec<float, 8>& d, const vec<bf16, 8>& a, const vec<bf16, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(
        bits<wmma_s16x8>(a), bits<wmma_s16x8>(b), bits<wmma_f32x8>(d)));
}
using wmma_i32x2 = int __attribute__((ext_vector_type(2)));
using wmma_i32x8 = int __attribute__((ext_vector_type(8)));
template <>
FADE_FN void wmma_gfx12<i8>::execute(vec<i32, 8>& d, const vec<i8, 8>& a, const vec<i8, 8>& b) {
    d = bits<vec<i32, 8>>(__builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(
        true, bits<wmma_i32x2>(a), true, bits<wmma_i32x2>(b), bits<wmma_i32x8>(d), false));
}
template <>
FADE_FN void wmma_gfx12<f8e4m3>::execute(vec<float, 8>& d, const vec<f8e4m3, 8>& a, const vec<f8e4m3, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(
        bits<wmma_i32x2>(a), bits<wmma_i32x2>(b), bits<wmma_f32x8>(d)));
}
template <>
FADE_FN void wmma_gfx12<f8e5m2>::execute(vec<float, 8>& d, const vec<f8e5m2, 8>& a, const vec<f8e5m2, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(
        bits<wmma_i32x2>(a), bits<wmma_i32x2>(b), bits<wmma_f32x8>(d)));
}
using fp8_bf8 = operand_pair<f8e4m3, f8e5m2>;
using bf8_fp8 = operand_pair<f8e5m2, f8e4m3>;
template <>
FADE_FN void wmma_gfx12<fp8_bf8>::execute(vec<float, 8>& d, const vec<fp8_bf8, 8>& a,
                                          const vec<fp8_bf8, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(
        bits<wmma_i32x2>(a), bits<wmma_i32x2>(b), bits<wmma_f32x8>(d)));
}
template <>
FADE_FN void wmma_gfx12<bf8_fp8>::execute(vec<float, 8>& d, const vec<bf8_fp8, 8>& a,
                                          const vec<bf8_fp8, 8>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(
        bits<wmma_i32x2>(a), bits<wmma_i32x2>(b), bits<wmma_f32x8>(d)));
}
#endif

}  // namespace FADE_NAMESPACE::atom

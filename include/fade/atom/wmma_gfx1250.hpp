// WMMA of gfx1250, wave32, twice as deep as RDNA4's. Known from LLVM alone: the k order is taken for that of
// gfx12 carried on, which no result depends on, since A and B share it.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::atom {

template <class T>
struct wmma_gfx1250 {
    using element = T;
    using accumulator = float;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = 16, n = 16, k = 32, lanes = 32;
    static constexpr int a_size = 16, b_size = 16, d_size = 8;
    static constexpr int a_copies = 1, b_copies = 1;
    static constexpr int lane_rows = 1, lane_columns = 1, k_groups = 2, lane_k = 16;

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        return {lane % 16, 16 * (e / 8) + 8 * (lane / 16) + e % 8};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return a_at(lane, e); }
    FADE_FN static constexpr coordinate d_at(int lane, int g) { return {8 * (lane / 16) + g, lane % 16}; }
    FADE_FN static constexpr int a_row(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane % 16; }
    FADE_FN static constexpr int k_group(int lane) { return lane / 16; }
    FADE_FN static constexpr lane_element a_element(int e) { return {0, e}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute(vec<float, 8>& d, const vec<T, 16>& a, const vec<T, 16>& b);
};

#if defined(__gfx1250__)
using wmma_f32x8 = float __attribute__((ext_vector_type(8)));
using wmma_f16x16 = _Float16 __attribute__((ext_vector_type(16)));
using wmma_bf16x16 = __bf16 __attribute__((ext_vector_type(16)));

template <>
FADE_FN void wmma_gfx1250<f16>::execute(vec<float, 8>& d, const vec<f16, 16>& a, const vec<f16, 16>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x32_f16(false, bits<wmma_f16x16>(a), false,
                                                                   bits<wmma_f16x16>(b), short(0),
                                                                   bits<wmma_f32x8>(d), false, false));
}
template <>
FADE_FN void wmma_gfx1250<bf16>::execute(vec<float, 8>& d, const vec<bf16, 16>& a, const vec<bf16, 16>& b) {
    d = bits<vec<float, 8>>(__builtin_amdgcn_wmma_f32_16x16x32_bf16(false, bits<wmma_bf16x16>(a), false,
                                                                    bits<wmma_bf16x16>(b), short(0),
                                                                    bits<wmma_f32x8>(d), false, false));
}
#endif

}  // namespace FADE_NAMESPACE::atom

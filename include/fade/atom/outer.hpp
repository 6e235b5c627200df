// Outer products on the vector ALU, for architectures (or types) without a matrix instruction: FMA, and dot2
// over pairs of k. A lane owns a 4 x 4 corner of D; the lanes of a wave stand in a grid of 8 columns.
#pragma once
#include <cstdint>
#include <fade/atom/bits.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/wrap.hpp>

namespace FADE_NAMESPACE::atom {

/// acc + sum of Pack products; the Pack elements of an operand share a register.
template <class T, class Acc, int Pack>
struct dot {
    using operand = T;
    FADE_FN static Acc apply(Acc acc, T a, T b) { return wrapping_sum(acc, Acc(a) * Acc(b)); }
};
template <>
struct dot<float, float, 1> {
    using operand = float;
    FADE_FN static float apply(float acc, float a, float b) { return __builtin_fmaf(a, b, acc); }
};
template <>
struct dot<f16, float, 2> {
    using operand = vec<f16, 2>;
    FADE_FN static float apply(float acc, const operand& a, const operand& b) {
#if defined(__gfx906__) || defined(__GFX10__)
        using f16x2 = _Float16 __attribute__((ext_vector_type(2)));
        return __builtin_amdgcn_fdot2(bits<f16x2>(a), bits<f16x2>(b), acc, false);
#else
        return acc + to_f32(a[0]) * to_f32(b[0]) + to_f32(a[1]) * to_f32(b[1]);
#endif
    }
};
/// Registers stay whole: where a lane has one read a step, clang 22 takes their elements from shared memory
/// by halves.
template <>
struct dot<i8, i32, 4> {
    using operand = std::uint32_t;
    FADE_FN static i32 apply(i32 acc, operand a, operand b) {
#if defined(__gfx906__) || defined(__GFX10__)
        return __builtin_amdgcn_sdot4(bits<int>(a), bits<int>(b), acc, false);
#else
        const auto x = bits<vec<i8, 4>>(a), y = bits<vec<i8, 4>>(b);
        return wrapping_sum(acc, x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3]);
#endif
    }
};

/// A wave-wide outer product of Pack steps of k on `Lanes` lanes.
template <class T, class Acc, int Lanes, int Pack>
struct outer {
    using element = T;
    using accumulator = Acc;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int lanes = Lanes, lane_tile = 4, lane_rows = lane_tile, lane_columns = lane_tile;
    static constexpr int grid_columns = 8, grid_rows = Lanes / grid_columns;
    static constexpr int m = grid_rows * lane_tile, n = grid_columns * lane_tile, k = Pack;
    static constexpr int a_size = lane_tile * Pack, b_size = a_size, d_size = lane_tile * lane_tile;
    static constexpr int a_copies = grid_columns, b_copies = grid_rows;
    static constexpr int k_groups = 1, lane_k = Pack;

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        return {lane / grid_columns * lane_tile + e / Pack, e % Pack};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) {
        return {lane % grid_columns * lane_tile + e / Pack, e % Pack};
    }
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane / grid_columns * lane_tile + g / lane_tile,
                lane % grid_columns * lane_tile + g % lane_tile};
    }
    FADE_FN static constexpr int a_row(int lane, int r) { return lane / grid_columns * lane_tile + r; }
    FADE_FN static constexpr int b_column(int lane, int c) { return lane % grid_columns * lane_tile + c; }
    FADE_FN static constexpr int k_group(int) { return 0; }
    FADE_FN static constexpr lane_element a_element(int e) { return {e / Pack, e % Pack}; }
    FADE_FN static constexpr lane_element b_element(int e) { return a_element(e); }

    FADE_FN static void execute(vec<Acc, d_size>& d, const vec<T, a_size>& a, const vec<T, b_size>& b) {
        using packed = vec<typename dot<T, Acc, Pack>::operand, lane_tile>;
        const auto rows = bits<packed>(a), columns = bits<packed>(b);
        FADE_UNROLL
        for (int g = 0; g < d_size; ++g)
            d[g] = dot<T, Acc, Pack>::apply(d[g], rows[g / lane_tile], columns[g % lane_tile]);
    }
};

}  // namespace FADE_NAMESPACE::atom

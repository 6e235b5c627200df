// mma.sync of f64, one warp: m8n8k4 of NVIDIA sm_80 and later, and the larger m16n8k8 of sm_90. Maps: PTX
// ISA, "Matrix Fragments for mma.m8n8k4" and "mma.m16n8k8 with .f64".
#pragma once
#include <fade/atom/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// An M x 8 x K product; M is 8 or 16.
template <int M, int K>
struct dmma {
    using element = double;
    using accumulator = double;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = M, n = 8, k = K, lanes = 32;
    static constexpr int a_size = m * k / lanes, b_size = n * k / lanes, d_size = m * n / lanes;
    static constexpr int a_copies = 1, b_copies = 1;
    // With a common permutation of k a lane reads 16 contiguous bytes of its rows.
    static constexpr int lane_rows = m / 8, lane_columns = 1, k_groups = 4, lane_k = 2;

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        return {lane / 4 + 8 * (e % lane_rows), lane % 4 + 4 * (e / lane_rows)};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return {lane / 4, lane % 4 + 4 * e}; }
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane / 4 + 8 * (g / 2), lane % 4 * 2 + g % 2};
    }
    FADE_FN static constexpr int a_row(int lane, int r) { return lane / 4 + 8 * r; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane / 4; }
    FADE_FN static constexpr int k_group(int lane) { return lane % 4; }
    FADE_FN static constexpr lane_element a_element(int e) { return {e % lane_rows, e / lane_rows}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute([[maybe_unused]] vec<double, d_size>& d,
                                [[maybe_unused]] const vec<double, a_size>& a,
                                [[maybe_unused]] const vec<double, b_size>& b) {
#if defined(__CUDA_ARCH__)
        static_assert((m == 8 && k == 4) || (m == 16 && k == 8));
        if constexpr (m == 8)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                : "+d"(d[0]), "+d"(d[1])
                : "d"(a[0]), "d"(b[0]));
#if __CUDA_ARCH__ >= 900
        else
            asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#endif
#endif
    }
};

}  // namespace FADE_NAMESPACE::atom

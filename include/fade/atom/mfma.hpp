// MFMA, the matrix instructions of CDNA (gfx908 to gfx950), wave64.
// Lane maps: AMD matrix instruction calculator; rows of D alternate in groups of four between lane groups.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/mfma_execute.hpp>
#include <fade/atom/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// An M x M x K product of one wave; M is 16 or 32. A lane holds K * M / 64 consecutive k of one row.
template <class T, class Acc, int M, int K>
struct mfma {
    using element = T;
    using accumulator = Acc;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = M, n = M, k = K, lanes = 64;
    static constexpr int a_size = M * K / lanes, b_size = a_size, d_size = M * M / lanes;
    static constexpr int a_copies = 1, b_copies = 1;
    static constexpr int lane_rows = 1, lane_columns = 1, k_groups = lanes / M;
    static constexpr int lane_k = max_of(a_size, 16 / int(sizeof(T)));

    FADE_FN static constexpr coordinate a_at(int lane, int e) { return {lane % M, a_size * (lane / M) + e}; }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return a_at(lane, e); }
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        if constexpr (sizeof(Acc) == 8) return {4 * g + lane / M, lane % M};
        return {4 * k_groups * (g / 4) + 4 * (lane / M) + g % 4, lane % M};
    }
    /// Which registers hold a row of D, and in which group of lanes.
    FADE_FN static constexpr int d_register(int row) { return row / (4 * k_groups) * 4 + row % 4; }
    FADE_FN static constexpr int d_group(int row) { return row / 4 % k_groups; }
    FADE_FN static constexpr int a_row(int lane, int) { return lane % M; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane % M; }
    FADE_FN static constexpr int k_group(int lane) { return lane / M; }
    FADE_FN static constexpr lane_element a_element(int e) { return {0, e}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute(vec<Acc, d_size>& d, const vec<T, a_size>& a, const vec<T, b_size>& b) {
        mfma_execute<T, M, K>::apply(d, a, b);
    }
};

}  // namespace FADE_NAMESPACE::atom

// The whole of D in one lane, for tile kernels on the CPU: compilers make vectors of its loops.
#pragma once
#include <fade/atom/outer.hpp>

namespace FADE_NAMESPACE::atom {

/// An outer product of one step of k, Size x Size, by one lane.
template <class T, class Acc, int Size>
struct corner {
    using element = T;
    using accumulator = Acc;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int lanes = 1, lane_rows = Size, lane_columns = Size;
    static constexpr int m = Size, n = Size, k = 1;
    static constexpr int a_size = Size, b_size = Size, d_size = Size * Size;
    static constexpr int a_copies = 1, b_copies = 1;
    static constexpr int k_groups = 1, lane_k = 1;

    FADE_FN static constexpr coordinate a_at(int, int e) { return {e, 0}; }
    FADE_FN static constexpr coordinate b_at(int, int e) { return {e, 0}; }
    FADE_FN static constexpr coordinate d_at(int, int g) { return {g / Size, g % Size}; }
    FADE_FN static constexpr int a_row(int, int r) { return r; }
    FADE_FN static constexpr int b_column(int, int c) { return c; }
    FADE_FN static constexpr int k_group(int) { return 0; }
    FADE_FN static constexpr lane_element a_element(int e) { return {e, 0}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {e, 0}; }

    FADE_FN static void execute(vec<Acc, d_size>& d, const vec<T, a_size>& a, const vec<T, b_size>& b) {
        for (int i = 0; i < Size; ++i)
            for (int j = 0; j < Size; ++j)
                d[i * Size + j] = dot<T, Acc, 1>::apply(d[i * Size + j], a[i], b[j]);
    }
};

}  // namespace FADE_NAMESPACE::atom

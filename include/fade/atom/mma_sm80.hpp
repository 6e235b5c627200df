// mma.sync of NVIDIA sm_80 and later, one warp: m16n8 and 32 bytes of k. Maps: PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and "mma.m16n8k32".
#pragma once
#include <fade/atom/mma_sm80_execute.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::atom {

/// 16-bit types, i8, and from sm_89 on 8-bit floats.
template <class T>
struct mma_sm80 {
    using element = T;
    using accumulator = accumulator_t<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int word = 4 / int(sizeof(T));  ///< elements of a register
    static constexpr int m = 16, n = 8, k = 8 * word, lanes = 32;
    static constexpr int a_size = 4 * word, b_size = 2 * word, d_size = 4;
    static constexpr int a_copies = 1, b_copies = 1;
    // With a common permutation of k a lane reads 16 contiguous bytes of its rows, which feed two
    // instructions.
    static constexpr int lane_rows = 2, lane_columns = 1, k_groups = 4, lane_k = 4 * word;

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        return {lane / 4 + 8 * (e / word % 2), lane % 4 * word + e % word + 4 * word * (e / (2 * word))};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) {
        return {lane / 4, lane % 4 * word + e % word + 4 * word * (e / word)};
    }
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane / 4 + 8 * (g / 2), lane % 4 * 2 + g % 2};
    }
    FADE_FN static constexpr int a_row(int lane, int r) { return lane / 4 + 8 * r; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane / 4; }
    FADE_FN static constexpr int k_group(int lane) { return lane % 4; }
    FADE_FN static constexpr lane_element a_element(int e) {
        return {e / word % 2, e / (2 * word) * word + e % word};
    }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute(vec<accumulator, d_size>& d, const vec<T, a_size>& a,
                                const vec<T, b_size>& b) {
        mma_sm80_execute<T>::apply(d, a, b);
    }
};

}  // namespace FADE_NAMESPACE::atom

// mma.sync m16n8k16 with the roles of its operands exchanged: rows of this atom are the instruction's
// columns. Its accumulators S^T hold, lane for lane, the columns that its operand B wants: two products chain
// in registers (Dao, "FlashAttention-2").
#pragma once
#include <fade/atom/mma_sm80.hpp>

namespace FADE_NAMESPACE::atom {

template <class T>
struct mma_sm80_transposed {
    using element = T;
    using accumulator = float;
    using instruction = mma_sm80<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = instruction::n, n = instruction::m, k = instruction::k,
                         lanes = instruction::lanes;
    static constexpr int a_size = instruction::b_size, b_size = instruction::a_size,
                         d_size = instruction::d_size;
    static constexpr int a_copies = 1, b_copies = 1;
    static constexpr int lane_rows = instruction::lane_columns, lane_columns = instruction::lane_rows,
                         k_groups = instruction::k_groups, lane_k = instruction::lane_k;

    FADE_FN static constexpr coordinate a_at(int lane, int e) { return instruction::b_at(lane, e); }
    FADE_FN static constexpr coordinate b_at(int lane, int e) { return instruction::a_at(lane, e); }
    /// Registers alternate between the two columns of a lane; the instruction holds one column after the
    /// other.
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        const coordinate at = instruction::d_at(lane, g / 2 + g % 2 * 2);
        return {at.minor, at.major};
    }
    FADE_FN static constexpr int a_row(int lane, int r) { return instruction::b_column(lane, r); }
    FADE_FN static constexpr int b_column(int lane, int c) { return instruction::a_row(lane, c); }
    FADE_FN static constexpr int k_group(int lane) { return instruction::k_group(lane); }
    FADE_FN static constexpr lane_element a_element(int e) { return instruction::b_element(e); }
    FADE_FN static constexpr lane_element b_element(int e) { return instruction::a_element(e); }

    FADE_FN static void execute(vec<float, 4>& d, const vec<T, 4>& a, const vec<T, 8>& b) {
        vec<float, 4> transposed{d[0], d[2], d[1], d[3]};
        instruction::execute(transposed, b, a);
        d = {transposed[0], transposed[2], transposed[1], transposed[3]};
    }
};

}  // namespace FADE_NAMESPACE::atom

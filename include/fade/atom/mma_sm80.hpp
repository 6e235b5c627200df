// mma.sync m16n8k16 of NVIDIA sm_80 and later, one warp. Maps: PTX ISA, "Matrix Fragments for mma.m16n8k16".
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/half.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::atom {

template <class T>
struct mma_sm80 {
    using element = T;
    using accumulator = float;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int m = 16, n = 8, k = 16, lanes = 32;
    static constexpr int a_size = 8, b_size = 4, d_size = 4;
    static constexpr int a_copies = 1, b_copies = 1;
    // With a common permutation of k a lane reads 16 contiguous bytes of its rows, which feed two
    // instructions.
    static constexpr int lane_rows = 2, lane_columns = 1, k_groups = 4, lane_k = 8;

    FADE_FN static constexpr coordinate a_at(int lane, int e) {
        return {lane / 4 + 8 * (e / 2 % 2), lane % 4 * 2 + e % 2 + 8 * (e / 4)};
    }
    FADE_FN static constexpr coordinate b_at(int lane, int e) {
        return {lane / 4, lane % 4 * 2 + e % 2 + 8 * (e / 2)};
    }
    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane / 4 + 8 * (g / 2), lane % 4 * 2 + g % 2};
    }
    FADE_FN static constexpr int a_row(int lane, int r) { return lane / 4 + 8 * r; }
    FADE_FN static constexpr int b_column(int lane, int) { return lane / 4; }
    FADE_FN static constexpr int k_group(int lane) { return lane % 4; }
    FADE_FN static constexpr lane_element a_element(int e) { return {e / 2 % 2, e / 4 * 2 + e % 2}; }
    FADE_FN static constexpr lane_element b_element(int e) { return {0, e}; }

    FADE_FN static void execute([[maybe_unused]] vec<float, 4>& d, [[maybe_unused]] const vec<T, 8>& a,
                                [[maybe_unused]] const vec<T, 4>& b) {
#if defined(__CUDA_ARCH__)
        const auto x = bits<vec<unsigned, 4>>(a);
        const auto y = bits<vec<unsigned, 2>>(b);
        if constexpr (is_half)
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        else
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
#endif
    }

private:
    static constexpr bool is_half = std::is_same_v<T, f16>;
};

}  // namespace FADE_NAMESPACE::atom

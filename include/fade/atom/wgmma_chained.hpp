// wgmma as attention wants it: the rows of the instruction are queries, so that a lane owns parts of two, and
// S feeds the second product in registers.
#pragma once
#include <fade/atom/bits.hpp>
#include <fade/atom/wgmma_chained_execute.hpp>
#include <fade/atom/wgmma_sm90.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::atom {

/// Eight columns of the instruction by the 16 of its 64 rows that one of four warps holds, with their roles
/// exchanged: rows of this atom are keys, or dimensions of O. Eight, twelve or sixteen atoms one below the
/// other are one instruction. Its accumulators are, as they lie, its operand of the second product.
template <class T>
struct wgmma_chained {
    using element = T;
    using accumulator = float;
    using instruction = wgmma_sm90<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr bool reads_shared = true;
    static constexpr int m = 8, n = 16, k = 16, lanes = 32, waves = 4, d_size = 4,
                         widest = 16;  ///< widest: atoms of one instruction
    static constexpr int a_copies = 1, lane_columns = 2, lane_k = 2, k_groups = 4;

    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane % 4 * 2 + g / 2, lane / 4 + g % 2 * 8};
    }
    FADE_FN static constexpr int b_column(int lane, int c) { return lane / 4 + c * 8; }
    FADE_FN static constexpr int k_group(int lane) { return lane % 4; }
    FADE_FN static constexpr std::uint64_t descriptor(std::uint32_t shared_address,
                                                      std::uint32_t block_stride) {
        return instruction::descriptor(shared_address, block_stride);
    }

    template <int Atoms>
    FADE_FN static void start(vec<float, d_size>* d, std::uint64_t queries, std::uint64_t keys, bool added) {
        wgmma_shared<is_half, Atoms>(d, queries, keys, added);
    }
    template <int Atoms>
    FADE_FN static void start(vec<float, d_size>* d, const vec<T, 8>& probabilities, std::uint64_t values) {
        wgmma_registers<is_half, Atoms>(d, bits<vec<unsigned, 4>>(probabilities), values);
    }
    /// Of weights in registers and rows that are contiguous along k.
    template <int Atoms>
    FADE_FN static void start_along_k(vec<float, d_size>* d, const vec<unsigned, 4>& weights,
                                      std::uint64_t rows, bool added) {
        wgmma_along_k<is_half, Atoms>(d, weights, rows, added);
    }

private:
    static constexpr bool is_half = std::is_same_v<T, f16>;
};

}  // namespace FADE_NAMESPACE::atom

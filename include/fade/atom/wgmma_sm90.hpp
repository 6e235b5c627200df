// wgmma of NVIDIA Hopper (sm_90a): four warps multiply 64 rows with 64, 128, 192 or 256 columns, both
// operands straight from shared memory. PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": fragment
// maps and the shared-memory matrix descriptor.
#pragma once
#include <cstdint>
#include <fade/atom/shape.hpp>
#include <fade/atom/wgmma_execute.hpp>
#include <fade/core/operand_pair.hpp>

namespace FADE_NAMESPACE::atom {

/// What one warp of the four holds: 16 of the 64 rows. Tiles in shared memory are contiguous along k in rows
/// of 128 bytes whose 16-byte chunks are exchanged by XOR with the row, which is the hardware's 128-byte
/// swizzle; they begin at multiples of 1024 bytes.
template <class T>
struct wgmma_sm90 {
    using element = T;
    using accumulator = accumulator_t<T>;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr bool reads_shared = true;
    static constexpr int m = 16, n = 64, k = 32 / int(sizeof(T)), lanes = 32, waves = 4, d_size = 32;
    static constexpr int lane_k = 128 / int(sizeof(T)),
                         k_groups = 1;  // a row of a shared tile is 128 bytes: one span of the swizzle
    /// Sums of 8-bit floats keep some 14 bits inside the unit (DeepSeek-V3 Technical Report, 3.3.2), so those
    /// of a step are added to others in f32.
    static constexpr bool sums_narrow = is_float8<element_of_a<T>>;

    FADE_FN static constexpr coordinate d_at(int lane, int g) {
        return {lane / 4 + 8 * (g / 2 % 2), 8 * (g / 4) + lane % 4 * 2 + g % 2};
    }

    /// Names groups of 8 x 128 bytes, 1024 bytes apart, from a byte of shared memory on; `block_stride` is
    /// the distance between blocks of 64 rows where the operand is contiguous along rows, and without meaning
    /// where it is contiguous along k.
    FADE_FN static constexpr std::uint64_t descriptor(std::uint32_t shared_address,
                                                      std::uint32_t block_stride) {
        constexpr std::uint64_t swizzle_128 = std::uint64_t(1) << 62, group_stride = std::uint64_t(1024 / 16)
                                                                                     << 32;
        return swizzle_128 | group_stride | std::uint64_t(block_stride / 16) << 16 |
               (shared_address >> 4 & 0x3fffu);
    }

    /// How many tiles of D beside each other one instruction makes, of `count` that are left; it reads A
    /// once.
    FADE_FN static constexpr int together(int count) { return count < 4 ? count : 4; }

    /// Starts d += A B for one step of 32 bytes of k and the tiles of D that are named, beside each other;
    /// complete after wait. RowsA, RowsB: the operand is contiguous along rows, as of 16-bit types it may be.
    /// Fresh: d = A B.
    template <bool RowsA, bool RowsB, bool Fresh, class... Tiles>
    FADE_FN static void start(std::uint64_t a, std::uint64_t b, Tiles&... d) {
        static_assert(sizeof(T) == 2 || !(RowsA || RowsB), "wgmma reads 8-bit operands along k alone");
        wgmma_execute<T>::template start<RowsA, RowsB, Fresh>(a, b, d.e...);
    }
};

}  // namespace FADE_NAMESPACE::atom

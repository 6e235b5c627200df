// The table of attention policies: for each kind of atom and size of element one a padded head dimension.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/kernel/attention/policy.hpp>

namespace fade::tune {

/// Head dimensions are padded to the next of 64, 128 and 256.
constexpr int head_class_of(int head_dim) { return head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : 256; }

/// Matrix instructions of 32 rows: queries, scores and outputs of 32 queries live in the registers of a wave.
/// Two waves share a SIMD where it has registers for both.
constexpr attention_policy mfma_attention(int head_dim, int bytes, int registers) {
    if (bytes == 4 && head_dim == 256) return {.waves = 2, .keys = 32, .head_dim = 256, .value_parts = 2, .waves_per_simd = 1};
    return {.keys = 64, .head_dim = head_dim, .waves_per_simd = bytes == 4 || head_dim == 256 || (head_dim == 128 && registers < 512) ? 1 : 2};
}

/// Matrix instructions of 16 rows in waves of 32 lanes. Where operands are copied into both halves of a wave, queries take too many registers to keep.
constexpr attention_policy wmma_attention(int head_dim, bool copied) {
    if (head_dim == 256) return {.waves = 4, .wave_queries = 16, .keys = 32, .head_dim = 256, .value_parts = 2, .queries_in_registers = false, .waves_per_simd = 1};
    return {.waves = 8, .wave_queries = 16, .keys = 64, .head_dim = head_dim, .queries_in_registers = head_dim == 64 || !copied, .waves_per_simd = 1};
}

/// Outer products on the vector ALU: a lane owns corners of 4 x 4, so queries stay in shared memory. No waves: the tiles do not fit.
constexpr attention_policy vector_attention(int head_dim, int bytes) {
    attention_policy p{.waves = 4, .keys = 32, .head_dim = head_dim, .queries_in_registers = false, .waves_per_simd = 1};
    if (bytes == 2 && head_dim == 256) p.waves = 2, p.value_parts = 4;
    if (bytes == 4 && head_dim == 128) p.waves = 2, p.value_parts = 2;
    if (bytes == 4 && head_dim == 256) p.waves = 0;
    return p;
}

/// The host takes any head dimension: a block of 256 keys and values of 256 (f32) and its share of queries fit second-level caches of 1 to 2 MiB.
inline constexpr attention_policy host_attention{.waves = 1, .wave_queries = 384, .keys = 256, .head_dim = 256};

template <class Arch, class In>
constexpr attention_policy attention_row(int head_dim) {
    using instruction = typename Arch::template atom<In>;
    constexpr int bytes = sizeof(typename instruction::element);
    if (instruction::order == atom::operand_order::panel) return host_attention;
    if (instruction::order != atom::operand_order::k_contiguous) return vector_attention(head_dim, bytes);
    return instruction::m == 32 ? mfma_attention(head_dim, bytes, Arch::traits.vgprs_per_simd) : wmma_attention(head_dim, instruction::a_copies > 1);
}

}  // namespace fade::tune

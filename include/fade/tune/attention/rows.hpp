// The table of attention policies: for each kind of atom and size of element one a padded head dimension.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/kernel/attention/policy.hpp>

namespace fade::tune {

/// Head dimensions are padded to the next of 64, 128 and 256.
constexpr int head_class_of(int head_dim) { return head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : 256; }

/// Matrix instructions of 32 rows: queries, scores and outputs of 32 queries live in the registers of a wave.
constexpr attention_policy mfma_attention(int head_dim, int bytes) {
    if (bytes == 4) return {.waves = head_dim == 256 ? 2 : 4, .wave_queries = 32, .keys = head_dim == 256 ? 32 : 64, .head_dim = head_dim, .waves_per_simd = 1};
    return {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = head_dim, .waves_per_simd = head_dim == 256 ? 1 : 2};
}

/// Matrix instructions of 16 rows in waves of 32 lanes.
constexpr attention_policy wmma_attention(int head_dim) {
    if (head_dim == 256) return {.waves = 4, .wave_queries = 16, .keys = 32, .head_dim = head_dim, .value_parts = 2, .queries_in_registers = false, .waves_per_simd = 1};
    return {.waves = 8, .wave_queries = 16, .keys = 64, .head_dim = head_dim, .waves_per_simd = 1};
}

/// Outer products on the vector ALU: a lane owns corners of 4 x 4, so queries stay in shared memory. No waves: the tiles do not fit.
constexpr attention_policy vector_attention(int head_dim, int bytes) {
    const int waves = bytes == 2 ? (head_dim == 256 ? 1 : 4) : head_dim == 64 ? 2 : head_dim == 128 ? 1 : 0;
    return {.waves = waves, .wave_queries = 32, .keys = 32, .head_dim = head_dim, .value_parts = head_dim == 256 ? 2 : 1, .queries_in_registers = false, .waves_per_simd = 1};
}

/// The host takes any head dimension: a block of 256 keys and values of 256 (f32) and its share of queries fit second-level caches of 1 to 2 MiB.
inline constexpr attention_policy host_attention{.waves = 1, .wave_queries = 384, .keys = 256, .head_dim = 256};

template <class Arch, class In>
constexpr attention_policy attention_row(int head_dim) {
    using instruction = typename Arch::template atom<In>;
    constexpr int bytes = sizeof(typename instruction::element);
    if (instruction::order == atom::operand_order::panel) return host_attention;
    if (instruction::order != atom::operand_order::k_contiguous) return vector_attention(head_dim, bytes);
    return instruction::m == 32 ? mfma_attention(head_dim, bytes) : wmma_attention(head_dim);
}

}  // namespace fade::tune

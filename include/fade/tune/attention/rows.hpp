// The table of attention policies: for each kind of atom and size of element one a padded head dimension.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/kernel/attention/variant.hpp>
#include <string_view>

namespace FADE_NAMESPACE::tune {

using kernel::attention_variant, kernel::without_rules, kernel::name;

/// Head dimensions are padded to the next of 64, 128, 256 and 512. A policy without waves: tiles of that size
/// fit neither registers nor shared memory, and only the decoding kernel takes them.
constexpr int head_class_of(int head_dim) {
    return head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : head_dim <= 256 ? 256 : 512;
}

/// Matrix instructions of 32 rows: queries, scores and outputs of 32 queries live in the registers of a wave.
/// As many waves share a SIMD as it has registers for; head dimensions of 256 leave those of one wave only if
/// the queries stay in a large shared memory.
constexpr attention_policy mfma_attention(int head_dim, int bytes, const arch::arch_traits& t) {
    attention_policy p{.keys = 64,
                       .head_dim = head_dim,
                       .waves_per_simd = head_dim == 64    ? 3
                                         : head_dim == 128 ? 2
                                                           : 1};
    if (t.vgprs_per_simd < 512) p.waves_per_simd = head_dim == 64 ? 2 : 1;
    if (bytes == 4) p.waves_per_simd = 1;
    if (bytes == 4 && head_dim == 256) p.waves = 0;
    if (head_dim == 256 && t.lds_per_workgroup > 1 << 16) p.q_storage = attention_q_storage::shared;
    return p;
}

/// Two waves share a SIMD that has registers for a second tile of scores beside outputs of 128 dimensions, or
/// for tiles of 128 keys beside 64.
constexpr attention_policy with_software_pipeline(attention_policy p, int bytes, const arch::arch_traits& t) {
    if (bytes > 2 || p.head_dim > 128 || t.vgprs_per_simd < 512) return p;
    p.keys = p.head_dim == 64 ? 128 : 64, p.waves_per_simd = 2;
    p.schedule = attention_schedule::software_pipelined;
    return p;
}

/// Matrix instructions of 16 rows in waves of 32 lanes. Where operands are copied into both halves of a wave,
/// queries take too many registers to keep; where not, keys and values are read as late as two of them or
/// one, which leaves the softmax more.
constexpr attention_policy wmma_attention(int head_dim, bool copied) {
    if (head_dim == 256)
        return {.waves = 4,
                .wave_queries = 16,
                .keys = 32,
                .head_dim = 256,
                .value_parts = copied ? 4 : 2,
                .q_storage = attention_q_storage::shared,
                .waves_per_simd = 1};
    return {.waves = 8,
            .wave_queries = 16,
            .keys = 64,
            .head_dim = head_dim,
            .q_storage = copied ? attention_q_storage::shared : attention_q_storage::registers,
            .rows_at_once = copied           ? 0
                            : head_dim == 64 ? 2
                                             : 1,
            .waves_per_simd = 1};
}

/// mma.sync: keys and values that a wave of 32 queries reads feed two instructions each, so that shared
/// memory keeps up. Outputs take half of the registers of a lane; queries stay in shared memory, and four
/// atoms of keys or values are read at a time, for what is left.
constexpr attention_policy mma_sync_attention(int head_dim) {
    attention_policy p{.waves = 8,
                       .wave_queries = 32,
                       .keys = head_dim == 64 ? 64 : 32,
                       .head_dim = head_dim,
                       .q_storage = attention_q_storage::shared,
                       .rows_at_once = 4,
                       .waves_per_simd = 2};
    if (head_dim == 256) p.wave_queries = 16, p.value_parts = 2;
    return p;
}

/// Warpgroups of 64 queries: several workgroups of one share a multiprocessor, so that one's softmax stands
/// beside another's products. Heads of 256 dimensions take the registers of two, in one workgroup that reads
/// keys once for both. Rules take registers of their own. Decoding waits for memory, so that more of it is
/// under way.
constexpr attention_policy warpgroup_attention(int head_dim, attention_variant variant) {
    attention_policy p{.waves = 4,
                       .wave_queries = 16,
                       .keys = 64,
                       .head_dim = head_dim,
                       .schedule = attention_schedule::by_warpgroup,
                       .waves_per_simd = 2};
    const bool plain = without_rules(variant);
    p.copy = variant == attention_variant::tma ? attention_copy::tma : attention_copy::async;
    if ((head_dim == 128 && plain) || (head_dim == 64 && variant == attention_variant::decode)) p.keys = 96;
    if (head_dim == 64 && variant != attention_variant::decode) p.waves_per_simd = plain ? 4 : 3;
    if (head_dim == 256) p.waves = 8;
    p.stages = variant == attention_variant::decode ? 3 : 2;
    return p;
}

/// Outer products on the vector ALU: a lane owns corners of 4 x 4, so queries stay in shared memory.
/// In waves of 32 lanes a lane holds twice as much of the outputs, so more workgroups share their columns.
constexpr attention_policy vector_attention(int head_dim, int bytes, int lanes) {
    const bool wide = head_dim * bytes > 256, small_waves = lanes == 32;
    attention_policy p{.waves = wide || bytes == 4 ? 2 : 4,
                       .keys = wide && small_waves ? 16 : 32,
                       .head_dim = head_dim,
                       .value_parts = max_of(head_dim / (small_waves ? 64 : 128), 1),
                       .q_storage = attention_q_storage::shared,
                       .waves_per_simd = 1};
    if (wide && !small_waves) p.value_parts = 4;
    if (bytes == 4 && head_dim == 256) p.waves = 0;
    return p;
}

/// The host takes any head dimension: a block of 256 keys and values of 256 (f32) and its share of queries
/// fit second-level caches of 1 to 2 MiB.
inline constexpr attention_policy host_attention{
    .waves = 1, .wave_queries = 384, .keys = 256, .head_dim = 512};

/// Few queries: the fewer waves share a tile, the more workgroups read keys at once. Addresses of scattered
/// rows take registers: where those are few, more waves share the loads of a tile, or more workgroups the
/// columns of O.
template <class Atom>
constexpr attention_policy decoding(attention_policy p, const arch::arch_traits& t) {
    if (p.waves == 0) return p;
    constexpr int bytes = sizeof(typename Atom::element);
    const bool by_matrix = Atom::order == atom::operand_order::k_contiguous;
    const int wave_bytes =
        t.lds_per_workgroup > 1 << 16 ? 128 : 256;  // of a row that each wave loads: where shared memory is
                                                    // large, the compiler keeps more scalars
    p.waves = min_of(p.waves, Atom::m != 32 ? 4
                              : !by_matrix  ? 1
                              : p.q_storage == attention_q_storage::registers
                                  ? ceil_div(p.head_dim * bytes, wave_bytes)
                                  : 4);
    p.keys = min_of(p.keys, t.family == arch::family::nvidia && !by_matrix ? 16 : 32), p.waves_per_simd = 1;
    if (Atom::m == 8) p.wave_queries = 16;
    if (Atom::m == 32 && !by_matrix) p.value_parts = p.head_dim * bytes / 128;
    if (t.family == arch::family::nvidia && (p.head_dim == 256 || (bytes == 4 && p.head_dim == 128)))
        p.value_parts = 4;
    if ((!by_matrix && bytes == 4) || (Atom::m == 32 && p.head_dim == 256 && t.vgprs_per_simd < 512))
        p.value_parts = max_of(p.value_parts, 2);
    return p;
}

/// The decoding kernel for heads that fit no other: O is cut as at a head dimension of 128, and 32 dimensions
/// of queries and keys lie in shared memory at once.
constexpr attention_policy wide_attention(attention_policy p, int head_dim) {
    p.value_parts *= head_dim / 128, p.head_dim = head_dim;
    p.waves = 4, p.span = 32, p.q_storage = attention_q_storage::shared;
    return p;
}

/// What only the plain kernel has registers for: maxima that stay, where inputs have half the size of sums or
/// less (on RDNA4 any), and outer products of f16 that compute no scores twice.
template <class Atom>
constexpr attention_policy plain(attention_policy p, int bytes, const arch::arch_traits& t) {
    const bool by_matrix = Atom::order == atom::operand_order::k_contiguous;
    if (by_matrix && Atom::m == 32) return with_software_pipeline(p, bytes, t);
    if (by_matrix && ((t.family == arch::family::rdna3 && bytes <= 2) || t.family == arch::family::rdna4))
        p.schedule = attention_schedule::lazy_rescaling;
    if (!by_matrix && bytes <= 2 && sizeof(typename Atom::element) == 2 && p.head_dim == 128)
        p.value_parts = 1;  // bf16 may be multiplied as f32
    return p;
}

template <class Arch, class In>
constexpr attention_policy attention_row(int head_dim) {
    using instruction = kernel::attention_atom<Arch, In>;
    constexpr int bytes = sizeof(typename instruction::element);
    if constexpr (instruction::order == atom::operand_order::panel)
        return host_attention;
    else if (head_dim == 512)
        return {.waves = 0};
    else if constexpr (instruction::order != atom::operand_order::k_contiguous)
        return vector_attention(head_dim, bytes, instruction::lanes);
    else if constexpr (Arch::traits.family == arch::family::nvidia)
        return mma_sync_attention(head_dim);
    else
        return instruction::m == 32 ? mfma_attention(head_dim, bytes, Arch::traits)
                                    : wmma_attention(head_dim, instruction::a_copies > 1);
}

template <class Arch, class In>
constexpr attention_policy attention_row(int head_dim, attention_variant variant) {
    using instruction = kernel::attention_atom<Arch, In>;
    attention_policy p = attention_row<Arch, In>(head_dim);
    if constexpr (kernel::has_warpgroup_atom<Arch, In>)
        if (head_dim <= (without_rules(variant) ? 256 : 128)) return warpgroup_attention(head_dim, variant);
    if (variant == attention_variant::tma) return {.waves = 0};
    if (p.waves == 0)
        return variant == attention_variant::decode
                   ? wide_attention(decoding<instruction>(attention_row<Arch, In>(128), Arch::traits),
                                    head_dim)
                   : p;
    if (variant == attention_variant::plain) p = plain<instruction>(p, sizeof(In), Arch::traits);
    if (variant == attention_variant::general) {  // rules take registers of their own
        p.waves_per_simd = min_of(p.waves_per_simd, 2);
        if (instruction::m == 16 && head_dim == 128) p.keys = min_of(p.keys, 32);
        if (instruction::m == 8 && head_dim == 128) p.wave_queries = 16;
        if (instruction::order != atom::operand_order::k_contiguous && instruction::lanes == 32 &&
            sizeof(In) == 4)
            p.keys = min_of(p.keys, 16);
        if (instruction::m == 32 && head_dim == 256 && Arch::traits.vgprs_per_simd < 512)
            p.value_parts = max_of(p.value_parts, 2);
    }
    return variant == attention_variant::decode ? decoding<instruction>(p, Arch::traits) : p;
}

}  // namespace FADE_NAMESPACE::tune

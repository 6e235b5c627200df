// Which table of attention policies an architecture has for a type.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/tune/attention/mfma.hpp>
#include <fade/tune/attention/nvidia.hpp>
#include <fade/tune/attention/vector.hpp>
#include <fade/tune/attention/wmma.hpp>

namespace FADE_NAMESPACE::tune {

/// The host takes any head dimension: a block of 256 keys and values of 256 (f32) and its share of queries
/// fit second-level caches of 1 to 2 MiB.
inline constexpr attention_policy host_attention{
    .waves = 1, .wave_queries = 384, .keys = 256, .head_dim = 512};

/// MFMA. `bytes` are those of an element as it is multiplied.
constexpr const attention_table& mfma_table(int bytes, const arch::arch_traits& t) {
    const bool large_lds = t.lds_per_workgroup > 1 << 16;
    if (bytes == 4) return large_lds ? mfma_f32_large_lds : mfma_f32;
    if (t.vgprs_per_simd < 512) return mfma_16_bit_few_registers;
    return large_lds ? mfma_16_bit_large_lds : mfma_16_bit;
}

/// Outer products: of `bytes` as they are multiplied, of inputs that may be shorter.
constexpr const attention_table& vector_table(int bytes, int input_bytes, int lanes,
                                              const arch::arch_traits& t) {
    if (lanes != 32) return bytes == 4 ? vector64_f32 : vector64_16_bit;
    if (t.family == arch::family::nvidia) return vector32_f32_nvidia;
    if (bytes == 2) return vector32_16_bit;
    return input_bytes == 4 ? vector32_f32 : vector32_widened;
}

/// GPUs have one for each kind of instruction: those of one kind differ in little else.
template <class Arch, class In>
constexpr const attention_table& attention_table_of() {
    using instruction = kernel::attention_atom<Arch, In>;
    constexpr int bytes = sizeof(typename instruction::element);
    if constexpr (instruction::order != atom::operand_order::k_contiguous)
        return vector_table(bytes, sizeof(In), instruction::lanes, Arch::traits);
    else if constexpr (kernel::has_warpgroup_atom<Arch, In>)
        return warpgroups;
    else if constexpr (Arch::traits.family == arch::family::nvidia)
        return mma_sync;
    else if constexpr (instruction::m == 32)
        return mfma_table(bytes, Arch::traits);
    else if constexpr (instruction::a_copies > 1)
        return wmma_copied;
    else
        return Arch::traits.family == arch::family::rdna4 ? wmma : wmma_in_order;
}

/// The policy of an architecture for inputs, a padded head dimension and a kernel.
template <class Arch, class In>
constexpr attention_policy attention_row(int head_class, attention_variant variant) {
    if constexpr (kernel::attention_atom<Arch, In>::order == atom::operand_order::panel)
        return variant == attention_variant::tma ? attention_policy{.waves = 0} : host_attention;
    else
        return attention_table_of<Arch, In>().of(head_class, variant);
}

}  // namespace FADE_NAMESPACE::tune

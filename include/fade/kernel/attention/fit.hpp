// Whether an architecture can run an attention policy, and which kernels take it. Where the compiler knows
// both, one sentence says why it cannot.
#pragma once
#include <fade/arch/launch_limits.hpp>
#include <fade/kernel/attention/traits.hpp>
#include <fade/kernel/attention/variant.hpp>

namespace FADE_NAMESPACE::kernel {

/// The first rule that a policy breaks.
enum class attention_misfit {
    none,
    host,
    head,
    queries,
    keys,
    values,
    order,
    copy,
    warpgroup,
    reads,
    lanes,
    occupancy,
    memory
};

namespace detail {

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

/// Whole atoms of scores, which the chain makes whole steps of the second product.
template <class Atom>
constexpr bool keys_fit(const attention_policy& p) {
    if (p.keys < 1 || p.keys % Atom::m != 0) return false;
    return p.by_warpgroup() || (is_power_of_two(p.keys) && p.keys % wave::chain<Atom>::step == 0);
}

/// The matrix instructions whose kernels have this order of work.
template <class Arch, class In, attention_policy P>
constexpr bool has_schedule() {
    using atom = attention_atom<Arch, In>;
    using enum attention_schedule;
    constexpr bool by_matrix = atom::order == block::operand_order::k_contiguous;
    constexpr auto family = Arch::traits.family;
    if (P.schedule == software_pipelined)
        return by_matrix && atom::m == 32 && sizeof(In) <= 2 && Arch::traits.vgprs_per_simd >= 512 &&
               P.head_dim <= 128 && P.keys >= 64 && P.value_parts == 1;
    if (P.schedule == lazy_rescaling)
        return by_matrix && (family == arch::family::rdna3 || family == arch::family::rdna4);
    return P.schedule == in_order || has_warpgroup_atom<Arch, In>;
}

/// Boxes come in two stages, one of which is on its way.
constexpr bool copy_fits(const attention_policy& p) {
    if (!p.by_warpgroup()) return p.copy == attention_copy::registers && p.stages == 1;
    return p.copy == attention_copy::tma ? p.stages == 2 : p.copy == attention_copy::async && p.stages >= 2;
}

/// Four waves that multiply together hold 16 queries each, and read whole tiles from shared memory. Their
/// lanes copy runs of eight elements, of as many keys at a time as there are lanes for.
constexpr bool warpgroup_fits(const attention_policy& p) {
    const int copied_keys = p.waves * 32 * 8 / p.head_dim;
    return p.waves % 4 == 0 && p.wave_queries == 16 && p.value_parts == 1 && p.rows_at_once == 0 &&
           p.q_storage == attention_q_storage::registers && copied_keys % 8 == 0 && p.keys % copied_keys == 0;
}

/// Outer products read all rows of a step at once; matrix instructions whole groups of atoms.
template <class Arch, class In, attention_policy P>
constexpr bool reads_fit() {
    using atom = attention_atom<Arch, In>;
    if (P.rows_at_once == 0) return true;
    return atom::order == block::operand_order::k_contiguous && P.rows_at_once > 0 &&
           P.keys / atom::m % min_of(P.rows_at_once, P.keys / atom::m) == 0 &&
           P.head_dim / P.value_parts / atom::m %
                   min_of(P.rows_at_once, P.head_dim / P.value_parts / atom::m) ==
               0;
}

/// Of queries, keys and values, and of probabilities that leave the registers.
template <class Arch, class In, attention_policy P>
constexpr int attention_shared_bytes() {
    using atom = attention_atom<Arch, In>;
    using T = typename atom::element;
    if constexpr (P.by_warpgroup()) {
        return (P.queries() + 2 * P.stages * P.keys) * P.head_dim * int(sizeof(T)) +
               (P.copy == attention_copy::tma ? P.stages * 8 : 0);
    } else {
        constexpr int value_dim = P.head_dim / P.value_parts,
                      q = block::operand_layout<Arch, atom, P.queries(), P.head_dim>::bytes,
                      k = block::operand_layout<Arch, atom, P.keys, P.head_dim>::bytes,
                      v = Arch::traits.transposing_reads && sizeof(T) == 2
                              ? value_dim * P.keys * int(sizeof(T))
                              : block::operand_layout<Arch, atom, value_dim, P.keys>::bytes,
                      p = wave::chain<atom>::in_registers
                              ? 0
                              : block::operand_layout<Arch, atom, P.queries(), P.keys>::bytes;
        return max_of((P.q_storage == attention_q_storage::registers ? 0 : q) + k + v + p, q);
    }
}

}  // namespace detail

/// Does a kernel run policies of this kind? Only those without rules have every order of work, and only that
/// of boxes is given boxes. Rules have registers beside warpgroups up to 128 dimensions.
constexpr bool takes(const attention_policy& p, attention_variant v) {
    using enum attention_schedule;
    if ((p.copy == attention_copy::tma) != (v == attention_variant::tma)) return false;
    if (without_rules(v)) return true;
    return p.schedule == in_order || (p.by_warpgroup() && p.head_dim <= 128);
}

/// Arch multiplies In.
template <class Arch, class In, attention_policy P>
constexpr attention_misfit misfit_of() {
    using atom = attention_atom<Arch, In>;
    if constexpr (atom::order == block::operand_order::panel) {
        return attention_misfit::host;
    } else {
        if constexpr ((P.head_dim != 64 && P.head_dim != 128 && P.head_dim != 256) || P.span != 0)
            return attention_misfit::head;
        else if constexpr (P.waves < 1 || P.wave_queries < 1 || P.wave_queries % atom::n != 0)
            return attention_misfit::queries;
        else if constexpr (!detail::keys_fit<atom>(P))
            return attention_misfit::keys;
        else if constexpr (P.value_parts < 1 || P.head_dim % P.value_parts != 0 ||
                           P.head_dim / P.value_parts % atom::m != 0)
            return attention_misfit::values;
        else if constexpr (!detail::has_schedule<Arch, In, P>())
            return attention_misfit::order;
        else if constexpr (!detail::copy_fits(P) ||
                           (P.copy == attention_copy::tma && !Arch::traits.tensor_maps))
            return attention_misfit::copy;
        else if constexpr (P.by_warpgroup() && !detail::warpgroup_fits(P))
            return attention_misfit::warpgroup;
        else if constexpr (!detail::reads_fit<Arch, In, P>())
            return attention_misfit::reads;
        else if constexpr (P.waves > arch::max_waves(Arch::traits))
            return attention_misfit::lanes;
        else if constexpr (P.waves_per_simd < 1 || P.waves_per_simd > Arch::traits.waves_per_simd)
            return attention_misfit::occupancy;
        else if constexpr (detail::attention_shared_bytes<Arch, In, P>() > Arch::traits.lds_per_workgroup)
            return attention_misfit::memory;
        else
            return attention_misfit::none;
    }
}

/// Compilers name Arch, In and the policy beside the sentence.
template <class Arch, class In, attention_policy P>
constexpr bool require_fit() {
    constexpr attention_misfit broken = misfit_of<Arch, In, P>();
    using enum attention_misfit;
    static_assert(broken != host, "the host cuts queries into shares for its threads by itself, so "
                                  "no attention_policy can be passed to a call on it: pass it on an "
                                  "emulated_device, hip_device or cuda_device");
    static_assert(broken != head,
                  "an attention_policy that is passed has a head_dim of 64, 128 or 256, to which heads are "
                  "padded, and no span: wider heads are left to the table");
    static_assert(broken != queries,
                  "the queries of a wave are whole atoms: let wave_queries of the attention_policy be a "
                  "multiple of the columns of an instruction of this architecture (32 is)");
    static_assert(broken != keys,
                  "keys of a step are whole atoms in rows that shared memory can swizzle: let keys of the "
                  "attention_policy be 32, 64 or 128 (by_warpgroup also 96)");
    static_assert(broken != values,
                  "each workgroup has whole atoms of O's columns: let value_parts of the attention_policy "
                  "be 1, or a power of two that leaves so much of head_dim");
    static_assert(
        broken != order,
        "this architecture has no kernel of that schedule for the type (software_pipelined is that of MFMA "
        "since gfx90a, of 16 bits and heads of up to 128, with 64 keys or more and one value part; "
        "lazy_rescaling that of WMMA on RDNA3 and RDNA4, by_warpgroup Hopper's): let the attention_policy "
        "have in_order");
    static_assert(broken != copy,
                  "an attention_policy by_warpgroup copies keys and values by async or tma, in two stages "
                  "(async in two or more), and every other one through registers, in one stage");
    static_assert(
        broken != warpgroup,
        "four waves multiply together: let an attention_policy by_warpgroup have four waves or a multiple "
        "(eight for a head_dim of 256), 16 wave_queries, keys a multiple of 256 waves / head_dim, one value "
        "part, q_storage registers and no rows_at_once");
    static_assert(broken != reads,
                  "what is read at once divides the atoms of keys and of values, and outer products read "
                  "all: let rows_at_once of the attention_policy be 0, 1 or 2");
    static_assert(broken != lanes,
                  "this attention_policy has more waves than a workgroup of 1024 lanes: take fewer waves "
                  "of more queries");
    static_assert(broken != occupancy,
                  "waves_per_simd of the attention_policy lies between 1 and the waves that a SIMD of this "
                  "architecture holds");
    static_assert(broken != memory,
                  "the tiles of this attention_policy do not fit the shared memory of a workgroup: take "
                  "fewer keys, fewer queries or a smaller head_dim");
    return broken == none;
}

}  // namespace FADE_NAMESPACE::kernel

// The types and layouts that a policy and an architecture give an attention.
#pragma once
#include <fade/arch/chained_atom.hpp>
#include <fade/block/copy.hpp>
#include <fade/block/mma.hpp>
#include <fade/kernel/attention/policy.hpp>
#include <fade/wave/chain.hpp>
#include <fade/wave/row_runs.hpp>

namespace FADE_NAMESPACE::kernel {

using arch::multiplied_as;

/// What multiplies in attention.
template <class Arch, class In>
using attention_atom = arch::chained_atom<Arch, In>;

/// Has the architecture a matrix unit that multiplies such inputs from shared memory, for chained products?
template <class Arch, class In>
inline constexpr bool has_warpgroup_atom = false;
template <class Arch, class In>
    requires requires { typename Arch::warpgroup_atoms; }
inline constexpr bool has_warpgroup_atom<Arch, In> =
    !std::is_void_v<typename arch::find_atom<typename Arch::warpgroup_atoms, In>::type>;

template <class Arch, class In, attention_policy Policy>
struct attention_traits {
    using atom = attention_atom<Arch, In>;
    static constexpr int keys = Policy.keys, head_dim = Policy.head_dim, waves = Policy.waves,
                         wave_queries = Policy.wave_queries, queries = waves * wave_queries,
                         value_dim = head_dim / Policy.value_parts,
                         span = Policy.span > 0 ? Policy.span : head_dim;
    static constexpr int key_rows = keys / atom::m, value_rows = value_dim / atom::m,
                         columns = wave_queries / atom::n;
    static_assert(keys % atom::m == 0 && value_dim % atom::m == 0 && wave_queries % atom::n == 0,
                  "keys, head_dim and wave_queries of an attention policy are whole atoms");

    using layout_q = block::operand_layout<Arch, atom, queries, span>;
    using layout_k = wave::chained_rows<block::operand_layout<Arch, atom, keys, span>, atom>;
    static constexpr bool transposing =
        Arch::traits.transposing_reads &&
        sizeof(typename atom::element) == 2;  // else values become columns before they are stored
    using layout_v =
        std::conditional_t<transposing, block::transposed_layout<typename atom::element, value_dim, keys>,
                           block::operand_layout<Arch, atom, value_dim, keys>>;
    using layout_p =
        block::operand_layout<Arch, atom, queries, keys>;  // only where the chain leaves the registers
    static constexpr bool chained = wave::chain<atom>::in_registers;
    static constexpr int rows_at_once = Policy.rows_at_once > 0 ? Policy.rows_at_once
                                                                : max_of(key_rows, value_rows);
    static constexpr bool kept = Policy.q_storage == attention_q_storage::registers,
                          lazy_rescaling = Policy.schedule == attention_schedule::lazy_rescaling;
    static_assert(!Policy.by_warpgroup() && Policy.copy == attention_copy::registers,
                  "an attention policy copies keys and values through registers, but by_warpgroup: let its "
                  "copy be registers");
    static_assert(Policy.stages == 1,
                  "an attention policy has one stage, or more by_warpgroup: nothing else reads a second");
    static constexpr int first_byte =
        kept ? 0 : layout_q::bytes;  // Q passes through before the loop, or stays
    static constexpr int tile_bytes =
        first_byte + layout_k::bytes + layout_v::bytes + (chained ? 0 : layout_p::bytes);
    static constexpr int shared_bytes = tile_bytes > layout_q::bytes ? tile_bytes : layout_q::bytes;
    static_assert(
        shared_bytes <= Arch::traits.lds_per_workgroup,
        "the tiles of this attention policy do not fit the shared memory of a workgroup: take fewer keys");

    FADE_FN static constexpr block::shared_tile<layout_q> tile_q() { return {0}; }
    FADE_FN static constexpr block::shared_tile<layout_k> tile_k() { return {std::uint32_t(first_byte)}; }
    FADE_FN static constexpr block::shared_tile<layout_v> tile_v() {
        return {tile_k().base + std::uint32_t(layout_k::bytes)};
    }
    FADE_FN static constexpr block::shared_tile<layout_p> tile_p() {
        return {tile_v().base + std::uint32_t(layout_v::bytes)};
    }

    static constexpr int
        stored_run = value_dim > 128 ? 1
                                     : wave::neighbours_in_row<atom>();  // wide outputs leave no registers
                                                                         // for a second way to store them
    static constexpr int lane_k = atom::lane_k, step = lane_k * atom::k_groups;
    static constexpr int steps_in_run =
        value_dim < 128 ? 4 : 1;  // of outer products, whose reads may stand together: wide outputs leave no
                                  // registers for it
    template <class Block, int Tiles>
    using fragment_a = wave::operand_fragment<Block, typename atom::element, atom::lane_rows * lane_k, Tiles>;
    template <class Block>
    using fragment_b =
        wave::operand_fragment<Block, typename atom::element, atom::lane_columns * lane_k, columns>;
    template <class Block>
    using scores = wave::accumulator<Block, atom, key_rows, columns>;
    template <class Block>
    using outputs = wave::accumulator<Block, atom, value_rows, columns>;
};

}  // namespace FADE_NAMESPACE::kernel

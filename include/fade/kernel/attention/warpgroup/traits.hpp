// The types and layouts of attention by matrix units that four waves share and that read shared memory
// themselves.
#pragma once
#include <fade/block/warpgroup_chain.hpp>
#include <fade/kernel/attention/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// Q, and rings of tiles of keys and of values, so that some are copied while one is read.
template <class Arch, class In, attention_policy Policy>
struct warpgroup_traits {
    using element = In;
    using atom = arch::atom_for<typename Arch::warpgroup_atoms, In>;
    using wave_atom = attention_atom<Arch, In>;  ///< of one wave by itself
    static constexpr int keys = Policy.keys, head_dim = Policy.head_dim, value_dim = head_dim,
                         waves = Policy.waves, wave_queries = Policy.wave_queries,
                         queries = waves * wave_queries;
    static constexpr int key_rows = keys / atom::m, value_rows = value_dim / atom::m, columns = 1,
                         stages = Policy.stages;
    static_assert(stages > 1, "tiles are copied while others are read: take two stages or more");
    static_assert(wave_queries == atom::n && waves % atom::waves == 0,
                  "four waves share a matrix unit, with 16 queries each");

    static constexpr int stored_run = wave::neighbours_in_row<atom>();

    using layout_q = block::span_layout<In, queries, head_dim>;
    using layout_k = block::span_layout<In, keys, head_dim>;
    static constexpr bool tma = Policy.copy == attention_copy::tma;
    static_assert(Policy.by_warpgroup() && Policy.copy != attention_copy::registers,
                  "an attention policy by_warpgroup copies keys and values asynchronously: let its copy be "
                  "async or tma");
    /// Has a wave registers to score a tile again by itself, where probabilities were infinite? Else the
    /// workgroup begins anew.
    static constexpr bool rescores = tma || head_dim < 256;
    static constexpr int tile_bytes = layout_q::bytes + 2 * stages * layout_k::bytes,
                         shared_bytes = tile_bytes + (tma ? stages * 8 : 0);
    static_assert(
        shared_bytes <= Arch::traits.lds_per_workgroup,
        "the tiles of this attention policy do not fit the shared memory of a workgroup: take fewer keys");
    FADE_FN static constexpr std::uint32_t tile_q() { return 0; }
    FADE_FN static constexpr std::uint32_t tile_k(int stage) {
        return std::uint32_t(layout_q::bytes + stage * layout_k::bytes);
    }
    FADE_FN static constexpr std::uint32_t tile_v(int stage) { return tile_k(stages + stage); }

    /// Where boxes arrive.
    FADE_FN static constexpr std::uint32_t arrival(int stage) {
        return std::uint32_t(tile_bytes + stage * 8);
    }

    template <class Block>
    using scores = wave::accumulator<Block, atom, key_rows, columns>;
    template <class Block>
    using outputs = wave::accumulator<Block, atom, value_rows, columns>;
};

}  // namespace FADE_NAMESPACE::kernel

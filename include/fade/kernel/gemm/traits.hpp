// The types and layouts that a policy and an architecture give a matrix multiplication.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/block/copy.hpp>
#include <fade/block/mma.hpp>
#include <fade/block/warpgroup.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// How A and B lie in memory, as the copy sees it.
struct gemm_access {
    block::memory_order a, b;
    constexpr bool operator==(const gemm_access&) const = default;
};

/// What a list of an architecture has for In, else `Usual`.
template <class Atoms, class In, class Usual>
constexpr auto atom_or() {
    using found = typename arch::find_atom<Atoms, In>::type;
    if constexpr (std::is_void_v<found>)
        return Usual{};
    else
        return found{};
}

/// What multiplies In by a policy: some architectures have another atom for what boxes bring, or for waves
/// whose tiles have fewer columns than the usual one.
template <class Arch, class In, gemm_policy Policy>
constexpr auto choose_gemm_atom() {
    using usual = typename Arch::template atom<In>;
    constexpr bool boxes = Policy.pipeline == block::pipeline_kind::tma_ring;
    if constexpr (boxes && requires { typename Arch::box_atoms; })
        return atom_or<typename Arch::box_atoms, In, usual>();
    else if constexpr (!boxes && requires { typename Arch::narrow_atoms; } && Policy.wave_tile.n < usual::n)
        return atom_or<typename Arch::narrow_atoms, In, usual>();
    else
        return usual{};
}
template <class Arch, class In, gemm_policy Policy>
using gemm_atom = decltype(choose_gemm_atom<Arch, In, Policy>());

template <class Arch, class In, gemm_policy Policy>
struct gemm_traits {
    using atom = gemm_atom<Arch, In, Policy>;
    static constexpr tile_shape tile = Policy.block_tile, wave = Policy.wave_tile;
    static constexpr int grid_rows = tile.m / wave.m, grid_columns = tile.n / wave.n;
    static_assert(tile.m % wave.m == 0 && tile.n % wave.n == 0, "a block tile is whole wave tiles");
    static_assert(wave.m % atom::m == 0 && wave.n % atom::n == 0, "a wave tile is whole atoms");
    using grid = block::wave_grid<grid_rows, grid_columns, wave.m, wave.n>;
    using layout_a = block::operand_layout<Arch, atom, tile.m, tile.k>;
    using layout_b = block::operand_layout<Arch, atom, tile.n, tile.k>;
    static constexpr int stages = block::shared_stages(Policy.pipeline),
                         stage_bytes = layout_a::bytes + layout_b::bytes;
    static constexpr bool panels = false;
    /// Is a step of k what the lanes of an atom load at once?
    static constexpr bool one_slice = tile.k == atom::lane_k * atom::k_groups;
    /// Does a loop that reads ahead read A by rows of atoms? So it does what registers hold one slice of;
    /// and of waves of 64, where two rows of a slice are few products, two slices of a step.
    static constexpr bool two_rows = wave.m == 2 * atom::m,
                          by_rows = one_slice ? !two_rows
                                              : two_rows && Arch::traits.wave_size == 64 &&
                                                    tile.k == 2 * atom::lane_k * atom::k_groups;
    static constexpr int shared_bytes = stages * stage_bytes;
    static_assert(shared_bytes <= Arch::traits.lds_per_workgroup,
                  "the tiles of this policy do not fit the shared memory of a workgroup: take a smaller "
                  "block_tile or single_buffer");

    template <class Block>
    using accumulator = wave::accumulator<Block, atom, wave.m / atom::m, wave.n / atom::n>;

    /// Some matrix units read shared memory themselves, for four waves at once.
    static constexpr bool by_warpgroup = requires { atom::reads_shared; };
    template <class Block, bool ByRows = by_rows>
    using multiplier =
        std::conditional_t<by_warpgroup,
                           block::warpgroup_multiplier<Block, accumulator<Block>, grid, layout_a, layout_b>,
                           block::multiplier<Block, accumulator<Block>, grid, layout_a, layout_b, ByRows>>;

    /// The tiles of A of all stages, then those of B: what is read at one address differs by few bytes, which
    /// instructions can hold.
    FADE_FN static constexpr block::tile_pair<layout_a, layout_b> tiles(int stage) {
        return {{std::uint32_t(stage * layout_a::bytes)},
                {std::uint32_t(stages * layout_a::bytes + stage * layout_b::bytes)}};
    }
};

}  // namespace FADE_NAMESPACE::kernel

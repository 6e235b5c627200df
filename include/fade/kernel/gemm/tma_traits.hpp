// The types and places of a matrix multiplication whose operands the copy unit brings.
#pragma once
#include <fade/block/box/cluster_sums.hpp>
#include <fade/block/box/ring.hpp>
#include <fade/block/box/store.hpp>
#include <fade/block/roles.hpp>
#include <fade/block/warpgroup.hpp>
#include <fade/kernel/gemm/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// A ring of tiles of A and of B, then boxes of results, then the ring's barriers.
template <class Arch, class In, gemm_policy Policy, gemm_access Access = gemm_access{}>
struct tma_gemm_traits : gemm_traits<Arch, In, Policy> {
    using base = gemm_traits<Arch, In, Policy>;
    using layout_a = block::warpgroup_layout<typename base::layout_a, Access.a>;
    using layout_b = block::warpgroup_layout<typename base::layout_b, Access.b>;
    using staging = block::box_staging<typename base::grid>;
    static constexpr gemm_policy policy = Policy;
    static constexpr gemm_access access = Access;
    /// Where a multiprocessor has room for two workgroups none can be given away.
    static constexpr block::role_registers registers = Policy.waves_per_simd * 4 < 2 * (Policy.waves() + 4)
                                                           ? block::registers_for(Policy.waves() / 4)
                                                           : block::role_registers{};
    /// Workgroups of a multiprocessor, each of which takes 1 KiB beside its own (CUDA C++ Programming Guide).
    static constexpr int resident = max_of(Policy.waves_per_simd * 4 / (Policy.waves() + 4), 1),
                         memory = Arch::traits.lds_per_workgroup - (resident - 1) * 1024;
    static constexpr int cluster = Policy.cluster, producers = 4, groups = Policy.waves() / 4,
                         batch_bytes = layout_a::bytes + layout_b::bytes,
                         staging_bytes = Policy.cluster_k > 1 ? 0 : staging::bytes,
                         stages = min_of((memory / resident - staging_bytes) /
                                             (batch_bytes + block::box_ring<1>::bytes),
                                         block::most_box_stages);
    static_assert(stages >= 2, "a ring of boxes has two stages or more: take a smaller block_tile");
    using ring = block::box_ring<stages, cluster>;
    static constexpr int ring_bytes = stages * batch_bytes,
                         shared_bytes = ring_bytes + staging_bytes + ring::bytes;

    FADE_FN static constexpr block::tile_pair<layout_a, layout_b> tiles(int stage) {
        return {{std::uint32_t(stage * layout_a::bytes)},
                {std::uint32_t(stages * layout_a::bytes + stage * layout_b::bytes)}};
    }
    FADE_FN static constexpr staging results() { return {std::uint32_t(ring_bytes)}; }
    FADE_FN static constexpr ring barriers() { return {std::uint32_t(ring_bytes + staging_bytes)}; }

    /// Where workgroups that share k leave their sums, once the ring is done with.
    using sums =
        block::cluster_sums<accumulator_t<In>, Policy.block_tile.m, Policy.block_tile.n, Policy.cluster_k>;
    static_assert(Policy.cluster_k == 1 || sums::bytes <= ring_bytes,
                  "the sums of a tile fit where its ring was");
    FADE_FN static constexpr sums cluster_memory() { return {0}; }
};

}  // namespace FADE_NAMESPACE::kernel

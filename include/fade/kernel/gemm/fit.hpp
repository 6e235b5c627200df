// Whether an architecture can run a policy. Where the compiler knows both, one sentence says why it cannot.
#pragma once
#include <fade/arch/launch_limits.hpp>
#include <fade/block/box/ring.hpp>
#include <fade/kernel/gemm/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// The first rule that a policy breaks.
enum class gemm_misfit {
    none,
    host,
    tiles,
    atoms,
    warpgroup,
    pipeline,
    depth,
    slices,
    order,
    lanes,
    occupancy,
    cluster,
    cluster_k,
    schedule,
    memory
};

namespace detail {

constexpr bool whole(int size, int part) { return size > 0 && part > 0 && size % part == 0; }

/// Some shared layouts turn their rows by XOR.
template <class Atom>
constexpr bool depth_fits(int depth) {
    const int bytes = depth * int(sizeof(typename Atom::element));
    const bool swizzled = Atom::order == block::operand_order::k_contiguous;
    return whole(depth, Atom::lane_k * Atom::k_groups) &&
           (!swizzled || (bytes % 16 == 0 && (bytes & (bytes - 1)) == 0));
}

/// Slices of k alternate between two sets of registers; a step of one slice is read by rows of atoms, of
/// which it has several.
template <class Atom>
constexpr bool reads_ahead(int depth, int wave_rows) {
    const int slices = depth / (Atom::lane_k * Atom::k_groups);
    return slices % 2 == 0 || (slices == 1 && wave_rows > Atom::m);
}

/// Four waves that multiply together hold 16 rows each of all columns, and steps as deep as their swizzle.
template <class Atom, gemm_policy P>
constexpr bool is_of_warpgroups() {
    if constexpr (requires { Atom::reads_shared; })
        return P.wave_tile.m == Atom::m && P.wave_tile.n == P.block_tile.n && P.waves() % Atom::waves == 0 &&
               P.block_tile.k == Atom::lane_k;
    else
        return true;
}

/// A ring copies runs as they lie, and converts nothing.
template <class Arch, class In, class Atom>
constexpr bool has_pipeline(block::pipeline_kind kind) {
    using enum block::pipeline_kind;
    constexpr bool reads_shared = requires { Atom::reads_shared; };
    if (kind == direct || kind == sliced_k || kind == sliced_ring || kind == wave_ring || kind == unit_ring ||
        (kind == read_ahead && reads_shared))
        return false;
    if (kind == tma_ring) return reads_shared && Arch::traits.tensor_maps;
    return kind != async_ring ||
           (Arch::traits.family == arch::family::nvidia &&
            Atom::order == block::operand_order::k_contiguous && std::is_same_v<typename Atom::element, In>);
}

/// Workgroups of a cluster bring parts of what they share, each of whole 8 rows or k; 8 is what every such
/// GPU launches (CUDA C++ Programming Guide, thread block clusters), and a box has at most 256 rows (CUDA
/// Driver API, cuTensorMapEncodeTiled).
constexpr bool cluster_fits(const gemm_policy& p) {
    if (p.pipeline != block::pipeline_kind::tma_ring) return p.cluster == 1;
    if (p.block_tile.m > 256 * p.cluster || p.block_tile.n > 256 * p.cluster) return false;
    return p.cluster >= 1 && p.cluster <= 8 && whole(p.block_tile.m, 8 * p.cluster) &&
           whole(p.block_tile.n, 8 * p.cluster) && whole(p.block_tile.k, 8 * p.cluster);
}

/// What workgroups that share k have summed fits where their ring was.
template <class Arch, class In>
constexpr bool cluster_k_fits(const gemm_policy& p) {
    if (p.cluster_k == 1) return true;
    const int stage = (p.block_tile.m + p.block_tile.n) * p.block_tile.k * int(sizeof(In)),
              stages = Arch::traits.lds_per_workgroup / (stage + block::box_ring<1>::bytes),
              sums = p.block_tile.m * p.block_tile.n * int(sizeof(accumulator_t<In>));
    return p.pipeline == block::pipeline_kind::tma_ring && p.cluster == 1 && p.cluster_k >= 1 &&
           p.cluster_k <= 8 && sums <= min_of(stages, block::most_box_stages) * stage;
}

/// Rings are filled for one tile, but those by boxes.
constexpr bool schedule_fits(const gemm_policy& p) {
    using enum block::pipeline_kind;
    if (p.pipeline == tma_ring && (p.cluster == 1 || p.cluster == 2 || p.cluster == 4) && p.cluster_k == 1)
        return true;
    return p.schedule == gemm_schedule::tiles || p.pipeline == single_buffer || p.pipeline == double_buffer ||
           p.pipeline == read_ahead;
}

template <class Arch, class Atom, gemm_policy P>
constexpr int shared_bytes() {
    constexpr bool by_boxes = P.pipeline == block::pipeline_kind::tma_ring;  // two stages, beside results
    constexpr int stages = by_boxes ? 2 : block::shared_stages(P.pipeline),
                  beside = by_boxes ? P.block_tile.m * 256 + 2 * block::box_ring<1>::bytes : 0;
    return beside + stages * (block::operand_layout<Arch, Atom, P.block_tile.m, P.block_tile.k>::bytes +
                              block::operand_layout<Arch, Atom, P.block_tile.n, P.block_tile.k>::bytes);
}

}  // namespace detail

/// Arch multiplies In. What a pipeline asks of the copies of a step stands where they are made.
template <class Arch, class In, gemm_policy P>
constexpr gemm_misfit misfit_of() {
    using atom = gemm_atom<Arch, In, P>;
    constexpr tile_shape tile = P.block_tile, wave = P.wave_tile;
    if constexpr (atom::order == block::operand_order::panel) {
        return gemm_misfit::host;
    } else {
        if constexpr (!detail::whole(tile.m, wave.m) || !detail::whole(tile.n, wave.n))
            return gemm_misfit::tiles;
        else if constexpr (!detail::whole(wave.m, atom::m) || !detail::whole(wave.n, atom::n))
            return gemm_misfit::atoms;
        else if constexpr (!detail::is_of_warpgroups<atom, P>())
            return gemm_misfit::warpgroup;
        else if constexpr (!detail::has_pipeline<Arch, In, atom>(P.pipeline))
            return gemm_misfit::pipeline;
        else if constexpr (!detail::depth_fits<atom>(tile.k))
            return gemm_misfit::depth;
        else if constexpr (P.pipeline == block::pipeline_kind::read_ahead &&
                           !detail::reads_ahead<atom>(tile.k, wave.m))
            return gemm_misfit::slices;
        else if constexpr (P.swizzle_rows < 1 || P.xcd_chunk < 1)
            return gemm_misfit::order;
        else if constexpr (P.waves() > arch::max_waves(Arch::traits))
            return gemm_misfit::lanes;
        else if constexpr (P.waves_per_simd < 1 || P.waves_per_simd > Arch::traits.waves_per_simd)
            return gemm_misfit::occupancy;
        else if constexpr (!detail::cluster_fits(P))
            return gemm_misfit::cluster;
        else if constexpr (!detail::cluster_k_fits<Arch, In>(P))
            return gemm_misfit::cluster_k;
        else if constexpr (!detail::schedule_fits(P))
            return gemm_misfit::schedule;
        else if constexpr (detail::shared_bytes<Arch, atom, P>() > Arch::traits.lds_per_workgroup)
            return gemm_misfit::memory;
        else
            return gemm_misfit::none;
    }
}

/// Compilers name Arch, In and the policy beside the sentence.
template <class Arch, class In, gemm_policy P>
constexpr bool require_fit() {
    constexpr gemm_misfit broken = misfit_of<Arch, In, P>();
    using enum gemm_misfit;
    static_assert(broken != host,
                  "the host cuts D into shares for its threads by itself, so no gemm_policy can be "
                  "passed to a call on it: pass it on an emulated_device, hip_device or cuda_device");
    static_assert(broken != tiles,
                  "a block tile is whole wave tiles: let block_tile.m and .n of the gemm_policy be "
                  "multiples of wave_tile.m and .n, which both are given");
    static_assert(
        broken != atoms,
        "a wave tile is whole atoms: let wave_tile.m and .n of the gemm_policy be multiples of what an "
        "instruction of this architecture multiplies (32 x 32 does, but for wgmma, which takes 16 x 64)");
    static_assert(
        broken != warpgroup,
        "four waves multiply together on this architecture: let the gemm_policy have a wave_tile of 16 rows "
        "and the columns of the block_tile, four waves or a multiple, and steps of 128 bytes of k");
    static_assert(
        broken != pipeline,
        "this architecture has no such pipeline (direct is the host's, sliced_k the selector's, async_ring "
        "is NVIDIA's where a matrix unit takes the type as it is, tma_ring Hopper's for 8 and 16 bits, and "
        "wgmma reads nothing ahead): let the gemm_policy have double_buffer");
    static_assert(broken != depth,
                  "block_tile.k of the gemm_policy is a multiple of what the lanes of an atom load at "
                  "once, and where matrix units multiply its bytes are a power of two from 16: take 32 "
                  "or 64");
    static_assert(broken != slices,
                  "reading ahead alternates between two sets of registers, or between the rows of a wave in "
                  "one: let the gemm_policy have twice the block_tile.k, or double_buffer");
    static_assert(broken != order, "swizzle_rows and xcd_chunk of a gemm_policy are at least 1");
    static_assert(broken != lanes,
                  "this gemm_policy has more waves than a workgroup of 1024 lanes: take larger "
                  "wave tiles or a smaller block_tile");
    static_assert(broken != occupancy,
                  "waves_per_simd of the gemm_policy lies between 1 and the waves that a SIMD of "
                  "this architecture holds");
    static_assert(
        broken != cluster,
        "a cluster of workgroups shares boxes of A or B: let the gemm_policy have tma_ring, a cluster of "
        "1 to 8 and a block_tile whose m, n and k are whole 8 for each of them, or a cluster of 1 whose m "
        "and n are at most 256, as boxes are");
    static_assert(
        broken != cluster_k,
        "workgroups of a cluster that share the k of a tile add up in shared memory what boxes brought: let "
        "the gemm_policy have tma_ring, a cluster of 1, a cluster_k of 1 to 8 and a block_tile whose sums "
        "fit "
        "shared memory, or a cluster_k of 1");
    static_assert(
        broken != schedule,
        "workgroups that make several tiles (stream_k) fill no ring of copies: let the gemm_policy have "
        "single_buffer, double_buffer, read_ahead or tma_ring in clusters of 1, 2 or 4 that do not share k, "
        "or the schedule tiles");
    static_assert(broken != memory,
                  "the tiles of this gemm_policy do not fit the shared memory of a workgroup: take a "
                  "smaller block_tile or single_buffer");
    return broken == none;
}

}  // namespace FADE_NAMESPACE::kernel

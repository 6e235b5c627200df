// Which policies of a product are worth compiling: values around those of the table, held against registers,
// shared memory and divisibility, the ones that the model thinks fastest first.
#pragma once
#include <fade/kernel/gemm/fit.hpp>
#include <fade/tune/gemm/rank.hpp>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// Values that fields of a policy may have; every combination that fits is a candidate. Depths count halves
/// of the depth of the table's small policy.
struct gemm_space {
    std::vector<int> rows{64, 128, 256}, columns{64, 128, 256}, wave_rows{32, 64, 128},
        wave_columns{32, 64, 128}, half_depths{1, 2, 4}, waves_per_simd{1, 2};
    std::vector<block::pipeline_kind> pipelines{block::pipeline_kind::read_ahead,
                                                block::pipeline_kind::double_buffer};
    /// Of units that read boxes of whole tiles (wgmma), where waves follow from tiles.
    std::vector<int> box_rows{64, 128, 192, 256}, box_columns{64, 128, 192, 256}, clusters{1, 2};
    std::vector<gemm_policy> others{};  ///< candidates of the user's, whatever the model thinks of them

    /// How many combinations there are.
    std::size_t size() const {
        return rows.size() * columns.size() * wave_rows.size() * wave_columns.size() * half_depths.size() *
               waves_per_simd.size() * pipelines.size();
    }
    /// One of them, with the other fields of `small`.
    gemm_policy at(std::size_t i, const gemm_policy& small) const {
        const auto next = [&](const auto& values) {
            const auto value = values[i % values.size()];
            return i /= values.size(), value;
        };
        gemm_policy out = small;
        out.block_tile.m = next(rows), out.block_tile.n = next(columns);
        out.wave_tile.m = next(wave_rows), out.wave_tile.n = next(wave_columns);
        out.block_tile.k = small.block_tile.k * next(half_depths) / 2;
        out.waves_per_simd = next(waves_per_simd), out.pipeline = next(pipelines);
        return out;
    }
};

/// The rule that a policy breaks on an architecture: an estimate of registers and shared memory, before a
/// compiler says the rest. Empty where it breaks none.
template <class Arch, class In>
std::string space_obstacle(const gemm_policy& p) {
    using atom = typename Arch::template atom<In>;
    constexpr arch::arch_traits t = Arch::traits;
    using kernel::detail::whole;
    const tile_shape &tile = p.block_tile, &wave = p.wave_tile;
    if (!whole(tile.m, wave.m) || !whole(tile.n, wave.n) || !whole(wave.m, atom::m) ||
        !whole(wave.n, atom::n))
        return "tiles are not whole tiles of waves and instructions";
    if (!kernel::detail::depth_fits<atom>(tile.k)) return "its depth is none that lanes load";
    if (!kernel::detail::has_pipeline<Arch, In, atom>(p.pipeline) || p.cluster != 1 || p.cluster_k != 1 ||
        !kernel::detail::schedule_fits(p))
        return "the architecture has no such pipeline";
    if (p.pipeline == block::pipeline_kind::read_ahead && !kernel::detail::reads_ahead<atom>(tile.k, wave.m))
        return "its depth is too small to read ahead";
    if (p.waves() > arch::max_waves(t)) return "a workgroup has no room for so many waves";
    if (p.waves_per_simd < 1 || p.waves_per_simd > t.waves_per_simd || p.swizzle_rows < 1 || p.xcd_chunk < 1)
        return "its occupancy or its order is none";
    const index step = index(tile.m + tile.n) * tile.k * index(sizeof(In));
    if (block::shared_stages(p.pipeline) * step > t.lds_per_workgroup)
        return "its steps do not fit shared memory";
    constexpr index spare = 32, word = 4;  // registers for addresses and counters
    const index sums = index(wave.m) * wave.n * index(sizeof(accumulator_t<In>)) / word / t.wave_size,
                copied = step / word / (index(p.waves()) * t.wave_size);
    if (sums + copied + spare > min_of(t.vgprs_per_wave, t.vgprs_per_simd / p.waves_per_simd))
        return "its sums do not fit the registers of a wave";
    return "";
}

namespace detail {

/// Does the unit of an architecture read boxes of shared memory, four waves together?
template <class Arch, class In>
inline constexpr bool reads_boxes =
    requires { Arch::template atom<In>::reads_shared; } && Arch::traits.tensor_maps;

/// Tiles of a space for a unit that reads boxes, with the other fields of `small`. Of registers each lane has
/// its sums and some for addresses.
template <class Arch, class In>
std::vector<gemm_policy> box_tiles(const gemm_space& space, const gemm_policy& small) {
    using atom = typename Arch::template atom<In>;
    constexpr int spare = 40, registers = 65536, lanes = 32, stages = 2, line = 256, per_simd = 4;
    std::vector<gemm_policy> out;
    for (const int rows : space.box_rows)
        for (const int columns : space.box_columns)
            for (const int cluster : space.clusters)
                for (const int cluster_k : space.clusters) {
                    gemm_policy p = small;
                    p.block_tile.m = rows, p.block_tile.n = columns;
                    p.wave_tile = {atom::m, columns};
                    p.cluster = cluster, p.cluster_k = cluster_k;
                    const int waves = rows / atom::m,
                              bytes = (rows + columns) * p.block_tile.k * int(sizeof(In));
                    if (!kernel::detail::whole(rows, atom::m) || waves % atom::waves != 0 ||
                        !kernel::detail::whole(columns, atom::n) || !kernel::detail::cluster_fits(p) ||
                        !kernel::detail::cluster_k_fits<Arch, In>(p) ||
                        waves > arch::max_waves(Arch::traits) ||
                        stages * bytes + rows * line > Arch::traits.lds_per_workgroup ||
                        (waves + 1) * lanes * (columns * atom::m / lanes + spare) > registers)
                        continue;
                    p.waves_per_simd = max_of(p.waves_per_simd, waves / per_simd);
                    out.push_back(p);
                }
    return out;
}

/// As machine code that was read says, or else by how much of an operand a wave uses again: an estimate.
inline double busy_or_estimate(std::string_view arch, dtype in, operand_access access, const gemm_policy& p) {
    if (const double known = busy_share(arch, in, access, p); known > 0) return known;
    constexpr double half = 8;  // multiplications for each element that is read, where reading takes half
    const bool boxes = p.pipeline == block::pipeline_kind::tma_ring;
    const tile_shape& tile = boxes ? p.block_tile : p.wave_tile;  // what shares one copy of operands
    const double reuse = double(tile.m) * tile.n / (tile.m + tile.n);
    return reuse / (reuse + half);
}

}  // namespace detail

/// The candidates of a product, without the policy that a call takes now: the user's first, then those of the
/// space. Of these no more than `max` stay, and none that the model thinks more than `slowest` times as slow
/// as the best.
template <class Arch, class In>
std::vector<gemm_policy> gemm_candidates(const gemm_problem& p, int compute_units, const gemm_policy& now,
                                         const gemm_space& space, std::size_t max = 24, double slowest = 2) {
    constexpr gemm_policy small = gemm_rows<Arch, In>::row.small;
    const auto access = operand_access(int(p.layout));
    std::vector<ranked<gemm_policy>> all;
    const auto rank = [&](const gemm_policy& c) {
        const double busy = detail::busy_or_estimate(Arch::traits.name, dtype_v<In>, access, c);
        if (!detail::has(all, c)) all.push_back({c, detail::modelled_cost(p, c, 1, busy, compute_units)});
    };
    if constexpr (detail::reads_boxes<Arch, In>)
        for (const gemm_policy& c : detail::box_tiles<Arch, In>(space, small)) rank(c);
    else
        for (std::size_t i = 0; i < space.size(); ++i) {
            gemm_policy c = space.at(i, small);
            if (Arch::traits.family == arch::family::nvidia && c.pipeline == block::pipeline_kind::read_ahead)
                c.pipeline = small.pipeline;
            if (space_obstacle<Arch, In>(c).empty()) rank(c);
        }
    all = detail::in_order(all);
    std::vector<gemm_policy> out;
    const auto add = [&](const gemm_policy& c) {
        if (c != now && std::ranges::find(out, c) == out.end()) out.push_back(c);
    };
    for (const gemm_policy& c : space.others) add(c);
    max += out.size();
    for (const ranked<gemm_policy>& r : all)
        if (r.relative <= slowest && out.size() < max) add(r.choice);
    return out;
}

}  // namespace FADE_NAMESPACE::tune

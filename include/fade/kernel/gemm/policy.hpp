// How a matrix multiplication is cut: a value that can be printed and compared.
#pragma once
#include <fade/block/pipeline.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE {

/// Which tiles a workgroup makes.
enum class gemm_schedule {
    tiles,    ///< one, or a part of its k (split_k)
    stream_k  ///< whole ones as long as there are enough for all; workgroups share the k of the last ones
              ///< evenly
};

/// Its name in reports.
constexpr const char* name(gemm_schedule s) { return s == gemm_schedule::tiles ? "tiles" : "stream_k"; }

/// Waves of a workgroup that share its k by the pipeline sliced_k: what they read keeps a compute unit's
/// memory busy, and 1024 lanes are the most.
inline constexpr int sliced_waves = 8;
/// The least k of a step of a wave whose packed weights stream through a ring (block/weight_stream/).
inline constexpr int stream_depth = 32;

/// Tiles count elements. Rows of policies are data, and tune/gemm/evidence.hpp says what each rests on.
struct gemm_policy {
    tile_shape block_tile;  ///< of D (m x n) and of the depth of one step (k), for a workgroup
    tile_shape wave_tile;   ///< m x n, for a wave
    block::pipeline_kind pipeline = block::pipeline_kind::double_buffer;  ///< what is in flight when
    int swizzle_rows = 8;    ///< rows of tiles that neighbouring workgroups share, for the sake of the cache
    int xcd_chunk = 16;      ///< consecutive tiles that go to one compute die
    int waves_per_simd = 1;  ///< occupancy that the compiler must leave registers for
    int cluster = 1;         ///< workgroups that copy what they share of A or B for each other (tma_ring)
    int cluster_k = 1;       ///< workgroups of a cluster that share the k of a tile (tma_ring)
    gemm_schedule schedule = gemm_schedule::tiles;  ///< which tiles a workgroup makes
    /// Are all fields equal?
    constexpr bool operator==(const gemm_policy&) const = default;

    /// k of a step that a wave of a wave_ring or unit_ring takes.
    constexpr int wave_depth() const { return wave_tile.k > 0 ? wave_tile.k : stream_depth; }
    /// Of a workgroup.
    constexpr int waves() const {
        if (pipeline == block::pipeline_kind::wave_ring || pipeline == block::pipeline_kind::unit_ring)
            return block_tile.k / wave_depth() * (block_tile.n / wave_tile.n);
        return block_tile.m / wave_tile.m * (block_tile.n / wave_tile.n) *
               (pipeline == block::pipeline_kind::sliced_k ? sliced_waves : 1);
    }
};

/// Calls f(name, value) for each field. A field that is not bound here does not compile.
template <class F>
constexpr void each_field(const gemm_policy& policy, const F& f) {
    const auto& [block_tile, wave_tile, pipeline, swizzle_rows, xcd_chunk, waves_per_simd, cluster, cluster_k,
                 schedule] = policy;
    f("block_tile", block_tile), f("wave_tile", wave_tile), f("pipeline", pipeline);
    f("swizzle_rows", swizzle_rows), f("xcd_chunk", xcd_chunk), f("waves_per_simd", waves_per_simd),
        f("cluster", cluster), f("cluster_k", cluster_k), f("schedule", schedule);
}

}  // namespace FADE_NAMESPACE

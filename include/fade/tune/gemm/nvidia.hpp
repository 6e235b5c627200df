// Policies for NVIDIA: mma.sync behind cp.async, wgmma of boxes, f32 by multiply-add. A row of 16-bit
// elements is one of as many bytes of other types.
#pragma once
#include <fade/arch/sm_80.hpp>
#include <fade/arch/sm_90a.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace FADE_NAMESPACE::tune {

inline constexpr gemm_row ampere_16bit{.large = {.block_tile = {128, 128, 32},
                                                 .wave_tile = {64, 64},
                                                 .pipeline = block::pipeline_kind::async_ring,
                                                 .waves_per_simd = 2},
                                       .small = {.block_tile = {64, 64, 32},
                                                 .wave_tile = {32, 32},
                                                 .pipeline = block::pipeline_kind::async_ring,
                                                 .waves_per_simd = 2}};
/// By mma.sync: the unit's own steps are so deep that a lane has the addresses of 96 elements, of which ptxas
/// spilled 700 to 900 bytes.
inline constexpr gemm_policy hopper_16bit_by_elements{
    .block_tile = {64, 128, 32}, .wave_tile = {32, 32}, .waves_per_simd = 2};
inline constexpr gemm_row hopper_16bit{.large = {.block_tile = {128, 256, 64},
                                                 .wave_tile = {16, 256},
                                                 .pipeline = block::pipeline_kind::tma_ring,
                                                 .swizzle_rows = 16,
                                                 .waves_per_simd = 2,
                                                 .cluster = 2},
                                       .small = {.block_tile = {128, 128, 64},
                                                 .wave_tile = {16, 128},
                                                 .pipeline = block::pipeline_kind::tma_ring,
                                                 .waves_per_simd = 2},
                                       .strided = hopper_16bit_by_elements,
                                       .ring_transposes = true,
                                       .flat = {.block_tile = {64, 128, 64},
                                                .wave_tile = {16, 128},
                                                .pipeline = block::pipeline_kind::tma_ring,
                                                .waves_per_simd = 2},
                                       .clustered = {.block_tile = {128, 128, 64},
                                                     .wave_tile = {16, 128},
                                                     .pipeline = block::pipeline_kind::tma_ring,
                                                     .waves_per_simd = 2,
                                                     .cluster_k = 2},
                                       .flat_clustered = {.block_tile = {64, 64, 64},
                                                          .wave_tile = {16, 64},
                                                          .pipeline = block::pipeline_kind::tma_ring,
                                                          .waves_per_simd = 2,
                                                          .cluster_k = 2},
                                       .deep = {.block_tile = {64, 64, 64},
                                                .wave_tile = {16, 64},
                                                .pipeline = block::pipeline_kind::tma_ring,
                                                .waves_per_simd = 2,
                                                .cluster_k = 4},
                                       .quad = {.block_tile = {128, 128, 64},
                                                .wave_tile = {16, 128},
                                                .pipeline = block::pipeline_kind::tma_ring,
                                                .waves_per_simd = 2,
                                                .cluster = 4},
                                       .flat_quad = {.block_tile = {64, 128, 64},
                                                     .wave_tile = {16, 128},
                                                     .pipeline = block::pipeline_kind::tma_ring,
                                                     .waves_per_simd = 2,
                                                     .cluster = 4},
                                       .tiny = {.block_tile = {64, 64, 64},
                                                .wave_tile = {16, 64},
                                                .pipeline = block::pipeline_kind::tma_ring,
                                                .waves_per_simd = 2},
                                       .tall = {.block_tile = {192, 128, 64},
                                                .wave_tile = {16, 128},
                                                .pipeline = block::pipeline_kind::tma_ring,
                                                .waves_per_simd = 2},
                                       .medium = {.block_tile = {128, 192, 64},
                                                  .wave_tile = {16, 192},
                                                  .pipeline = block::pipeline_kind::tma_ring,
                                                  .waves_per_simd = 2,
                                                  .cluster = 2}};
/// Of what no box can bring.
inline constexpr gemm_row hopper_16bit_by_lanes{.large = {.block_tile = {128, 256, 64},
                                                          .wave_tile = {16, 256},
                                                          .pipeline = block::pipeline_kind::async_ring,
                                                          .swizzle_rows = 16,
                                                          .waves_per_simd = 2},
                                                .small = {.block_tile = {64, 128, 64},
                                                          .wave_tile = {16, 128},
                                                          .pipeline = block::pipeline_kind::async_ring,
                                                          .waves_per_simd = 2},
                                                .strided = hopper_16bit_by_elements,
                                                .ring_transposes = true};
inline constexpr gemm_row ampere_f32{
    .large = {.block_tile = {128, 256, 8}, .wave_tile = {64, 64}, .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {16, 64}, .waves_per_simd = 4}};

/// Accumulators of 64 x 32 are 128 registers a lane.
inline constexpr gemm_row ampere_f64{
    .large = {.block_tile = {128, 128, 16},
              .wave_tile = {64, 32},
              .pipeline = block::pipeline_kind::async_ring,
              .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 16},
              .wave_tile = {32, 32},
              .pipeline = block::pipeline_kind::async_ring,
              .waves_per_simd = 2},
    .strided = {.block_tile = {64, 64, 8}, .wave_tile = {32, 32}, .waves_per_simd = 2},
    .ring_transposes = true};
/// Waves of half the accumulators: what is transposed in registers on its way, and 8-bit floats that Hopper's
/// mma.sync unpacks, take the others.
inline constexpr gemm_row ampere_8bit{
    .large = {.block_tile = {128, 128, 64},
              .wave_tile = {64, 32},
              .pipeline = block::pipeline_kind::async_ring,
              .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 64},
              .wave_tile = {32, 32},
              .pipeline = block::pipeline_kind::async_ring,
              .waves_per_simd = 2},
    .strided = {.block_tile = {64, 64, 64}, .wave_tile = {32, 16}, .waves_per_simd = 2}};
/// What is widened passes through registers.
constexpr gemm_row ampere_widened() {
    gemm_row row = ampere_16bit;
    row.large.wave_tile = {64, 32};
    row.large.pipeline = row.small.pipeline = block::pipeline_kind::double_buffer;
    return row;
}

/// By mma.sync and multiply-add; where nothing multiplies In, any row will do.
template <class Arch, class In>
constexpr gemm_row ampere_row() {
    if (sizeof(In) == 8) return ampere_f64;
    if (sizeof(In) == 4) return ampere_f32;
    if (sizeof(In) == 2) return ampere_16bit;
    return std::is_same_v<typename arch::find_atom<typename Arch::atoms, In>::type, atom::mma_sm80<In>>
               ? ampere_8bit
               : ampere_widened();
}

/// Hopper's unit reads 8-bit operands along k alone: others go by mma.sync. Sums of 8-bit floats are kept
/// twice, so that their tiles have half the columns, and more rows.
template <class In>
constexpr gemm_row hopper_8bit() {
    gemm_row row = hopper_16bit;
    row.large.block_tile.k = row.small.block_tile.k = row.flat.block_tile.k = 128;
    row.clustered = row.flat_clustered = row.deep = row.quad = row.flat_quad = row.tiny = row.tall =
        row.medium = {};
    if (is_float8<element_of_a<In>>) {
        row.large = row.small;
        row.large.block_tile.m = 192, row.large.swizzle_rows = 16, row.large.cluster = 2;
    }
    row.large_transposed = ampere_8bit.large, row.small_transposed = ampere_8bit.small;
    row.strided = ampere_8bit.strided, row.ring_transposes = false;
    return row;
}

template <class In>
struct gemm_rows<arch::sm_80, In> {
    static constexpr gemm_row row = ampere_row<arch::sm_80, In>();
};
template <class In>
struct gemm_rows<arch::sm_90a, In> {
    static constexpr gemm_row row = sizeof(In) == 2   ? hopper_16bit
                                    : sizeof(In) == 1 ? hopper_8bit<In>()
                                                      : ampere_row<arch::sm_90a, In>();
};

}  // namespace FADE_NAMESPACE::tune

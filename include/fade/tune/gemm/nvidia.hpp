// Policies for NVIDIA: mma.sync behind cp.async, wgmma of boxes, f32 by multiply-add.
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
inline constexpr gemm_row hopper_16bit{
    .large = {.block_tile = {128, 256, 64},
              .wave_tile = {16, 256},
              .pipeline = block::pipeline_kind::tma_ring,
              .swizzle_rows = 16,
              .waves_per_simd = 2,
              .cluster = 2},
    .small = {.block_tile = {128, 128, 64},
              .wave_tile = {16, 128},
              .pipeline = block::pipeline_kind::tma_ring,
              .waves_per_simd = 2},
    .strided = {.block_tile = {64, 128, 64}, .wave_tile = {16, 128}, .waves_per_simd = 2},
    .ring_transposes = true};
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
                                                .ring_transposes = true};
inline constexpr gemm_row ampere_f32{
    .large = {.block_tile = {128, 256, 8}, .wave_tile = {64, 64}, .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {16, 64}, .waves_per_simd = 4}};

template <class In>
struct gemm_rows<arch::sm_80, In> {
    static constexpr gemm_row row = sizeof(In) == 4 ? ampere_f32 : ampere_16bit;
};
template <class In>
struct gemm_rows<arch::sm_90a, In> {
    static constexpr gemm_row row = sizeof(In) == 4 ? ampere_f32 : hopper_16bit;
};

}  // namespace FADE_NAMESPACE::tune

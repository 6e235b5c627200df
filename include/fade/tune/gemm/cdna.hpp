// Policies for the MFMA architectures.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace fade::tune {

/// 16-bit inputs: two workgroups a compute unit fall out of phase, so that one multiplies while the other copies.
inline constexpr gemm_row mfma_16bit{
    .large = {.block_tile = {128, 128, 32}, .wave_tile = {64, 64}, .pipeline = block::pipeline_kind::double_buffer, .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 64}, .wave_tile = {32, 32}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 2},
    .evidence = "static audit"};
inline constexpr gemm_row mfma_f32{
    .large = {.block_tile = {128, 128, 16}, .wave_tile = {64, 64}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {32, 32}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 2},
    .evidence = "static audit"};

inline constexpr gemm_row mfma_8bit{
    .large = {.block_tile = {128, 128, 64}, .wave_tile = {64, 64}, .pipeline = block::pipeline_kind::double_buffer, .waves_per_simd = 2},
    .small = {.block_tile = {64, 64, 64}, .wave_tile = {32, 32}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 2},
    .evidence = "static audit"};
inline constexpr gemm_row mfma_f64{
    .large = {.block_tile = {128, 128, 16}, .wave_tile = {64, 64}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 1},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {32, 32}, .pipeline = block::pipeline_kind::single_buffer, .waves_per_simd = 2},
    .evidence = "static audit"};

template <class In>
inline constexpr gemm_row mfma_row = sizeof(In) == 8 ? mfma_f64 : sizeof(In) == 4 ? mfma_f32 : sizeof(In) == 1 ? mfma_8bit : mfma_16bit;

template <class In> struct gemm_rows<arch::gfx908, In> { static constexpr gemm_row row = mfma_row<In>; };
template <class In> struct gemm_rows<arch::gfx90a, In> { static constexpr gemm_row row = mfma_row<In>; };
template <class In> struct gemm_rows<arch::gfx942, In> { static constexpr gemm_row row = mfma_row<In>; };
template <class In> struct gemm_rows<arch::gfx950, In> { static constexpr gemm_row row = mfma_row<In>; };

}  // namespace fade::tune

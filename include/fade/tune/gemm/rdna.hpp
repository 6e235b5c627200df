// Policies for the WMMA architectures (RDNA3, RDNA3.5, RDNA4) and for those without matrix instructions (RDNA2, Vega).
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace fade::tune {

inline constexpr gemm_row wmma_16bit{
    .large = {.block_tile = {128, 128, 32}, .wave_tile = {64, 32}},
    .small = {.block_tile = {64, 64, 32}, .wave_tile = {32, 32}},
    .evidence = "static audit"};
inline constexpr gemm_row vector_wave32{
    .large = {.block_tile = {128, 128, 16}, .wave_tile = {32, 64}},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {16, 64}},
    .evidence = "static audit"};
inline constexpr gemm_row vector_wave64{
    .large = {.block_tile = {128, 128, 16}, .wave_tile = {64, 64}},
    .small = {.block_tile = {64, 64, 16}, .wave_tile = {32, 32}},
    .evidence = "static audit"};

inline constexpr gemm_row wmma_8bit{
    .large = {.block_tile = {128, 128, 64}, .wave_tile = {64, 32}},
    .small = {.block_tile = {64, 64, 64}, .wave_tile = {32, 32}},
    .evidence = "static audit"};
/// dot4 over packs of four k.
inline constexpr gemm_row vector_wave32_8bit{
    .large = {.block_tile = {128, 128, 32}, .wave_tile = {32, 64}},
    .small = {.block_tile = {64, 64, 32}, .wave_tile = {16, 64}},
    .evidence = "static audit"};
inline constexpr gemm_row vector_wave64_8bit{
    .large = {.block_tile = {128, 128, 32}, .wave_tile = {64, 64}},
    .small = {.block_tile = {64, 64, 32}, .wave_tile = {32, 32}},
    .evidence = "static audit"};

template <class In>
inline constexpr gemm_row wmma_row = sizeof(In) == 4 ? vector_wave32 : sizeof(In) == 1 ? wmma_8bit : wmma_16bit;

template <class In> struct gemm_rows<arch::gfx906, In> { static constexpr gemm_row row = sizeof(In) == 1 ? vector_wave64_8bit : vector_wave64; };
template <class In> struct gemm_rows<arch::gfx1030, In> { static constexpr gemm_row row = sizeof(In) == 1 ? vector_wave32_8bit : vector_wave32; };
template <class In> struct gemm_rows<arch::gfx1100, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1101, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1102, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1150, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1151, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1200, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1201, In> { static constexpr gemm_row row = wmma_row<In>; };
template <class In> struct gemm_rows<arch::gfx1250, In> { static constexpr gemm_row row = wmma_row<In>; };

}  // namespace fade::tune

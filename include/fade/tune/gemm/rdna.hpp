// Policies for the WMMA architectures (RDNA3, RDNA3.5, RDNA4) and for those without matrix instructions
// (RDNA2, Vega). Their figures: audited.inc.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace FADE_NAMESPACE::tune {

/// Waves of 64 x 32 for the matrix instructions of RDNA: what is read ahead fits beside the accumulators with
/// older compilers too.
constexpr gemm_row wmma_row_of(int rows, int depth) {
    return {.large = {.block_tile = {rows, 128, depth},
                      .wave_tile = {64, 32},
                      .pipeline = block::pipeline_kind::read_ahead},
            .small = {.block_tile = {64, 64, depth},
                      .wave_tile = {32, 32},
                      .pipeline = block::pipeline_kind::read_ahead}};
}

/// 64 accumulators a lane on vector ALUs of wave32.
constexpr gemm_row vector_wave32(int depth, block::pipeline_kind pipeline) {
    return {.large = {.block_tile = {128, 128, depth}, .wave_tile = {32, 64}, .pipeline = pipeline},
            .small = {.block_tile = {64, 64, depth}, .wave_tile = {16, 64}, .pipeline = pipeline}};
}

/// On wave64 32 accumulators a lane, so that two waves a SIMD take turns to issue.
constexpr gemm_row vector_wave64(int depth) {
    return {.large = {.block_tile = {128, 128, depth},
                      .wave_tile = {32, 64},
                      .pipeline = block::pipeline_kind::read_ahead},
            .small = {.block_tile = {64, 64, depth},
                      .wave_tile = {32, 32},
                      .pipeline = block::pipeline_kind::read_ahead}};
}

template <class In>
inline constexpr gemm_row wmma_gfx11_row =
    sizeof(In) == 4 ? vector_wave32(16, block::pipeline_kind::read_ahead)
                    : wmma_row_of(128, 64 / int(sizeof(In)));
/// Products take half the cycles here, so that turning
/// operands in registers shows: a larger tile turns less.
template <class In>
inline constexpr gemm_row wmma_gfx12_row =
    sizeof(In) == 4 ? vector_wave32(16, block::pipeline_kind::read_ahead)
                    : wmma_row_of(256, 64 / int(sizeof(In)));
template <class In>
inline constexpr gemm_row wmma_gfx1250_row =
    sizeof(In) == 4 ? vector_wave32(16, block::pipeline_kind::read_ahead)
                    : wmma_row_of(128, 128 / int(sizeof(In)));

// i8 by dot4 over packs of four k
template <class In>
struct gemm_rows<arch::gfx906, In> {
    static constexpr gemm_row row = vector_wave64(sizeof(In) == 1 ? 64 : std::is_same_v<In, f16> ? 32 : 16);
};
// Two-address dot products would copy what is read ahead.
template <class In>
struct gemm_rows<arch::gfx1030, In> {
    static constexpr gemm_row row =
        vector_wave32(sizeof(In) == 1 ? 32 : 16, block::pipeline_kind::double_buffer);
};
template <class In>
struct gemm_rows<arch::gfx1100, In> {
    static constexpr gemm_row row = wmma_gfx11_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1101, In> {
    static constexpr gemm_row row = wmma_gfx11_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1102, In> {
    static constexpr gemm_row row = wmma_gfx11_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1150, In> {
    static constexpr gemm_row row = wmma_gfx11_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1151, In> {
    static constexpr gemm_row row = wmma_gfx11_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1200, In> {
    static constexpr gemm_row row = wmma_gfx12_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1201, In> {
    static constexpr gemm_row row = wmma_gfx12_row<In>;
};
template <class In>
struct gemm_rows<arch::gfx1250, In> {
    static constexpr gemm_row row = wmma_gfx1250_row<In>;
};

}  // namespace FADE_NAMESPACE::tune
